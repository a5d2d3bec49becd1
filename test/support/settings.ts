import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Settings = Readonly<Record<string, string>>

const providers = new WeakMap<Settings, ConfigProvider.ConfigProvider>()

/** The provider of these settings; the same object always gives the same provider. */
const providerOf = (settings: Settings): ConfigProvider.ConfigProvider => {
  const provider = providers.get(settings) ?? ConfigProvider.fromMap(new Map(Object.entries(settings)))
  providers.set(settings, provider)
  return provider
}

/** Runs an effect with these settings instead of the environment's. */
export const withSettings =
  (settings: Settings) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withConfigProvider(effect, providerOf(settings))

/** Builds a layer with these settings instead of the environment's. */
export const layerWithSettings =
  (settings: Settings) =>
  <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
    Layer.provide(layer, Layer.setConfigProvider(providerOf(settings)))
