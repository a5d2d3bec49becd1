/**
 * The embedders without a network. An export `layerWords` is `Embedder.layerWords` in programs, and `words` in the
 * policy and on the command line.
 */
export { layer as layerHash } from "./HashEmbedder.js"
export { layer as layerWords } from "./WordEmbedder.js"
