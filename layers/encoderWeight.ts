/** How far ranking trusts the vectors of sentence encoders: their share of the fused score. Static tables have .2 to .25. */
export const encoderWeight = 0.7

/** MiniLM finds passages about as well as full text does, whoever serves it. */
export const miniLmWeight = 0.5

/** The weight of a model by its name. */
export const weightOf = (model: string): number => (/minilm/i.test(model) ? miniLmWeight : encoderWeight)
