/**
 * The version of the ranking; the recall log records it. Increase it with every change that may produce other ids or
 * scores for the same query on the same view: parsing, matching, fusion, boosts or order.
 */
export const rankerVersion = 7
