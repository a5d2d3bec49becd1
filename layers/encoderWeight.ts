/** Weight of a sentence encoder's vectors: their share of the fused score. Static word vectors have 0.2 to 0.25. */
export const encoderWeight = 0.7

/** MiniLM has a lower weight, because it finds passages only about as well as full text. */
export const miniLmWeight = 0.5

/** The weight of a model by its name. */
export const encoderWeightOf = (model: string): number => (/minilm/i.test(model) ? miniLmWeight : encoderWeight)
