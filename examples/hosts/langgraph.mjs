// A LangGraph graph whose store is Daybook. The nodes need no model.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph"
import { DaybookStore, openMemory } from "daybook/hosts/langgraph"

const State = Annotation.Root({ user: Annotation(), said: Annotation(), answer: Annotation() })
const graph = new StateGraph(State)
  .addNode("remember", async ({ said, user }, { store }) => {
    await store.put(["users", user, "facts"], `fact-${Date.now()}`, { text: said })
    return {}
  })
  .addNode("recall", async ({ user }, { store }) => {
    const [found] = await store.search(["users", user], { query: "which food does the user like", limit: 1 })
    return { answer: `I know: ${found.value.text}` }
  })
  .addEdge(START, "remember")
  .addEdge("remember", "recall")
  .addEdge("recall", END)

const memory = await openMemory({ folder: "./data", agent: "waiter" })
const store = new DaybookStore(memory)
const compiled = graph.compile({ store })
await compiled.invoke({ user: "mira", said: "Mira likes olives and other salty food" })
const { answer } = await compiled.invoke({ user: "mira", said: "Mira comes by bicycle" })
console.log(answer)
console.log(await store.listNamespaces({ maxDepth: 2 }))
await memory.close()
