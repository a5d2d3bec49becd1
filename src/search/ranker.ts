/**
 * The version of the ranking, as recalls name it. Raised with every change
 * after which the same question of the same view may get other ids or scores:
 * how text is read, matched, fused, boosted or put in order.
 */
export const rankerVersion = 3
