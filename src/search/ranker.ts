/**
 * The version of the ranking; the recall log records it. Raise it with every change that may give the same query other
 * ids or scores on the same view: parsing, matching, fusion, boosts or order.
 */
export const rankerVersion = 6
