/** Decay rates per day of types that stay relevant. The half-life is ln 2 / rate: 0.01 gives 69 days. */
export const slowDecays = {
  identity: 0.002,
  person: 0.005,
  credential: 0.005,
  preference: 0.01,
  decision: 0.01,
  config: 0.01,
  solution: 0.01,
  technical: 0.02,
  discovery: 0.02
} as const

/** Decay rates per day of types that fade. */
export const fastDecays = { conversation: 0.1, temp: 0.5, debug: 0.5 } as const
