/**
 * The embedders that need no network. An export such as `layerWords` is `Embedder.layerWords` in programs, and `words`
 * in the policy and on the command line.
 */
export { layer as layerHash } from "./HashEmbedder.js"
export { layer as layerWords } from "./WordEmbedder.js"
