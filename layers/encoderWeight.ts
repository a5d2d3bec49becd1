/** Weight of a sentence encoder's vectors: their share of the fused score. Static tables have 0.2 to 0.25. */
export const encoderWeight = 0.7

/** MiniLM finds passages about as well as full text does. */
export const miniLmWeight = 0.5

/** The weight of a model by its name. */
export const encoderWeightOf = (model: string): number => (/minilm/i.test(model) ? miniLmWeight : encoderWeight)
