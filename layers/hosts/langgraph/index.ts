/** LangGraph's long-term store on Daybook: `daybook/hosts/langgraph`. Each item is a note with its history. */
import {
  BaseStore,
  InvalidNamespaceError,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace
} from "@langchain/langgraph-checkpoint"
import * as Effect from "effect/Effect"
import { limits } from "../../../src/model/limits.js"
import { type HostDocument, makeDocuments, maxDocumentCharacters } from "../documents.js"
import { checkMemory, type HostMemory } from "../HostMemory.js"
import { matches, namespacesOf } from "./filters.js"

export { type HostMemory, type HostOptions, hostMemory } from "../HostMemory.js"
export { MemoryClosed } from "../MemoryClosed.js"
export { openMemory } from "../openMemory.js"

const host = "langgraph"

/**
 * A store for `graph.compile({ store })`, at the level of the model. It behaves like `InMemoryStore`, with two
 * differences: a search with a query ranks with Daybook's own full text and vectors, and a namespace without items is
 * not listed. An item, with its namespace and key, has at most 65,535 characters of JSON. Throws `InvalidInput` for a
 * promise in place of the memory.
 */
export class DaybookStore extends BaseStore {
  readonly #memory: HostMemory
  readonly #documents: ReturnType<typeof makeDocuments>
  readonly #oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)

  constructor(memory: HostMemory) {
    super()
    checkMemory(memory)
    this.#memory = memory
    this.#documents = makeDocuments(memory, host)
  }

  /** Reads see the store as it was before the batch. If several writes have the same key, the last write counts. */
  override batch<Op extends Array<Operation>>(operations: Op): Promise<OperationResults<Op>> {
    return this.#memory.run(this.#oneAtATime(this.#perform(operations))) as Promise<OperationResults<Op>>
  }

  #perform(operations: ReadonlyArray<Operation>): Effect.Effect<ReadonlyArray<unknown>, unknown> {
    const [documents, search] = [this.#documents, this.#search.bind(this)]
    return Effect.gen(function* () {
      yield* Effect.try({ try: () => operations.forEach(validate), catch: (problem) => problem })
      const readsAll = operations.some((operation) => !("key" in operation))
      const items = readsAll ? (yield* documents.list()).map(toItem) : []
      const results: Array<unknown> = []
      const puts = new Map<string, PutOperation>()
      for (const operation of operations) {
        if ("namespacePrefix" in operation) results.push(yield* search(items, operation))
        else if ("value" in operation) {
          puts.set(nameOf(operation), operation)
          results.push(null)
        } else if ("key" in operation) {
          const [document] = yield* documents.list(nameOf(operation))
          results.push(document === undefined ? null : publicItem(toItem(document)))
        } else results.push(listNamespaces(items, operation))
      }
      for (const [name, { index, value }] of puts) {
        const [existing] = yield* documents.list(name)
        const text = `${index === false ? unindexed : ""}${JSON.stringify(value)}`
        if (value === null) yield* existing === undefined ? Effect.void : documents.remove(existing)
        else if (existing === undefined) yield* documents.save(name, text, { isNamed: true })
        else yield* documents.replace(existing, name, text)
      }
      return results
    })
  }

  #search(
    items: ReadonlyArray<StoredItem>,
    { filter, limit = 10, namespacePrefix, offset = 0, query }: SearchOperation
  ) {
    const candidates = items.filter(
      ({ namespace, value }) =>
        namespacePrefix.every((label, index) => namespace[index] === label) &&
        Object.entries(filter ?? {}).every(([field, condition]) => matches(value[field], condition))
    )
    const page = (found: ReadonlyArray<SearchItem>) => found.slice(offset, offset + limit)
    if (query === undefined || query.trim() === "") {
      return Effect.succeed(page(candidates.map(publicItem)))
    }
    return Effect.map(this.#memory.model.notes.search({ text: query, tags: [host], limit: limits.page }), (hits) => {
      const scores = new Map(hits.map(({ id, score }) => [id, score]))
      const scored = candidates.map((item): SearchItem => {
        const score = item.isIndexed ? scores.get(item.id) : undefined
        return { ...publicItem(item), ...(score === undefined ? {} : { score }) }
      })
      return page(scored.sort((a, b) => (b.score ?? -1) - (a.score ?? -1)))
    })
  }
}

interface StoredItem extends Item {
  readonly id: string
  readonly isIndexed: boolean
}

/** Prefix of the text of an item that a query must not find. */
const unindexed = "unindexed\n"

const toItem = ({ createdAt, id, name, text, updatedAt }: HostDocument): StoredItem => {
  const [namespace, key] = JSON.parse(name) as [Array<string>, string]
  const isIndexed = !text.startsWith(unindexed)
  const value = JSON.parse(isIndexed ? text : text.slice(unindexed.length))
  return { id, isIndexed, namespace, key, value, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) }
}

const publicItem = ({ id: _, isIndexed: __, ...item }: StoredItem): Item => item

const nameOf = ({ key, namespace }: { readonly key: string; readonly namespace: ReadonlyArray<string> }): string =>
  JSON.stringify([namespace, key])

const validate = (operation: Operation): void => {
  if ("namespace" in operation) {
    requireLabels(operation.namespace)
    validateNamespace(operation.namespace, { allowReservedRoot: true })
  }
  if ("namespacePrefix" in operation) {
    requireLabels(operation.namespacePrefix)
    validateNamespace(operation.namespacePrefix, { allowEmpty: true, allowReservedRoot: true })
  }
  if ("matchConditions" in operation) for (const { path } of operation.matchConditions ?? []) requireLabels(path)
  if (!("value" in operation) || operation.value === null) return
  const { length } = JSON.stringify(operation.value) ?? ""
  const max = maxDocumentCharacters - nameOf(operation).length - unindexed.length
  if (length > max) throw new RangeError(`The value of ${operation.key} is longer than ${max} characters of JSON`)
}

/** Needed because `validateNamespace` would accept a string as a list of characters. */
const requireLabels = (labels: unknown): void => {
  if (Array.isArray(labels) && labels.every((label) => typeof label === "string")) return
  throw new InvalidNamespaceError('A namespace must be an array of strings, such as ["users", "mira"].')
}

const listNamespaces = (items: ReadonlyArray<StoredItem>, operation: ListNamespacesOperation): Array<Array<string>> =>
  namespacesOf(
    items.map(({ namespace }) => namespace),
    operation
  )
