/** A tracked attribute: the sentences that state a value, and those that state a change. */
export interface TrackedAttribute {
  readonly name: string
  readonly type: "identity" | "preference" | "decision"
  /** The subject. Every sentence names it together with the value. */
  readonly about: string
  /** In time order. An attribute that never changes has one value. */
  readonly values: ReadonlyArray<string>
  /** Sentences that state a value; `{v}` is the value. */
  readonly said: ReadonlyArray<string>
  /** Sentences that state a change; `{o}` is the previous value. */
  readonly changed: ReadonlyArray<string>
}

const attribute = (
  type: TrackedAttribute["type"],
  about: string,
  name: string,
  values: string,
  said: ReadonlyArray<string>,
  changed: ReadonlyArray<string>
): TrackedAttribute => ({ name, type, about, values: values.split(", "), said, changed })

/** 30 attributes that a user states about herself, her preferences and two projects. */
export const miraAttributes: ReadonlyArray<TrackedAttribute> = [
  attribute(
    "identity",
    "Mira",
    "home",
    "Lisbon, Ghent, Turin, Bergen",
    ["Mira lives in {v}", "Mira's home is in {v}", "Mira is based in {v}"],
    ["Mira lives in {v} now", "Mira moved from {o} to {v}"]
  ),
  attribute(
    "identity",
    "Mira",
    "employer",
    "Halden Labs, Brightwater, Osprey Systems",
    ["Mira works for {v}", "Mira's employer is {v}", "Mira is employed by {v}"],
    ["Mira works for {v} now", "Mira left {o} and works for {v} now"]
  ),
  attribute(
    "identity",
    "Mira",
    "role",
    "staff engineer, engineering manager, principal engineer",
    ["Mira is a {v}", "Mira's role is {v}", "Mira works as a {v}"],
    ["Mira's role is {v} now", "Mira is no longer a {o}, she is a {v}"]
  ),
  attribute(
    "identity",
    "Mira",
    "phone",
    "Pixel 8, Fairphone 5, Xperia 10",
    ["Mira's phone is a {v}", "Mira uses a {v} as her phone", "Mira has a {v} for calls"],
    ["Mira's phone is a {v} now", "Mira replaced her {o} by a {v}"]
  ),
  attribute(
    "identity",
    "Mira",
    "partner",
    "Tomas",
    ["Mira's partner is called Tomas", "Tomas is Mira's partner", "Mira lives together with her partner Tomas"],
    []
  ),
  attribute(
    "identity",
    "Mira",
    "dog",
    "Biscuit",
    ["Mira has a beagle called Biscuit", "Mira's dog is Biscuit, a beagle", "Biscuit is the name of Mira's dog"],
    []
  ),
  attribute(
    "identity",
    "Mira",
    "car",
    "Volvo V60, Kia Niro, Renault Zoe",
    ["Mira drives a {v}", "Mira's car is a {v}", "The car that Mira has is a {v}"],
    ["Mira drives a {v} now", "Mira sold the {o} and drives a {v}"]
  ),
  attribute(
    "identity",
    "Mira",
    "language",
    "Portuguese, Norwegian, Dutch",
    ["Mira is learning {v}", "Mira takes lessons in {v}", "The language that Mira learns is {v}"],
    ["Mira is learning {v} now", "Mira stopped learning {o} and is learning {v}"]
  ),
  attribute(
    "identity",
    "Mira",
    "sport",
    "bouldering, rowing, fencing",
    ["Mira's sport is {v}", "Mira goes {v} twice a week", "For sport Mira does {v}"],
    ["Mira's sport is {v} now", "Mira gave up {o}, her sport is {v} now"]
  ),
  attribute(
    "identity",
    "Mira",
    "allergy",
    "hazelnuts",
    ["Mira is allergic to hazelnuts", "Mira has an allergy to hazelnuts", "Mira cannot eat hazelnuts, she is allergic"],
    []
  ),
  attribute(
    "preference",
    "Mira",
    "drink",
    "green tea, oat flat white, yerba mate",
    ["Mira prefers {v} in the morning", "Mira's morning drink is {v}", "In the morning Mira likes to drink {v}"],
    ["Mira prefers {v} in the morning now", "Mira's morning drink is {v} now, no longer {o}"]
  ),
  attribute(
    "preference",
    "Mira",
    "editor",
    "Helix, Zed, Emacs",
    ["Mira prefers {v} as her editor", "Mira's editor is {v}", "Mira writes code in {v}"],
    ["Mira's editor is {v} now", "Mira switched her editor from {o} to {v}"]
  ),
  attribute(
    "preference",
    "Mira",
    "channel",
    "Signal, Matrix, Threema",
    ["Mira wants to be notified on {v}", "Mira prefers messages on {v}", "Urgent notes reach Mira on {v}"],
    ["Mira wants to be notified on {v} now", "Mira prefers messages on {v} now, no longer on {o}"]
  ),
  attribute(
    "preference",
    "Mira",
    "meetings",
    "before 10:00, after 14:00, after 16:00",
    ["Mira prefers meetings {v}", "Mira likes her meetings {v}", "Meetings with Mira are best {v}"],
    ["Mira prefers meetings {v} now", "Mira no longer wants meetings {o}, she prefers them {v}"]
  ),
  attribute(
    "preference",
    "Mira",
    "diet",
    "vegetarian, vegan, pescatarian",
    ["Mira eats {v}", "Mira's diet is {v}", "Mira prefers {v} food"],
    ["Mira eats {v} now", "Mira's diet is {v} now, no longer {o}"]
  ),
  attribute(
    "preference",
    "Mira",
    "seat",
    "aisle seat, window seat",
    ["Mira prefers an {v} on trains", "On trains Mira likes an {v}", "Mira books an {v} when she travels"],
    ["Mira prefers a {v} on trains now", "Mira wants a {v} on trains, no longer an {o}"]
  ),
  attribute(
    "preference",
    "Mira",
    "theme",
    "Solarized, Gruvbox, Nord",
    ["Mira prefers the {v} colour theme", "Mira's colour theme is {v}", "Mira has her terminal in {v} colours"],
    ["Mira's colour theme is {v} now", "Mira changed her colour theme from {o} to {v}"]
  ),
  attribute(
    "preference",
    "Mira",
    "answers",
    "bullet lists, whole paragraphs, tables",
    ["Mira prefers answers as {v}", "Mira likes answers in the form of {v}", "Answers to Mira come as {v}"],
    ["Mira prefers answers as {v} now", "Mira wants answers as {v}, no longer as {o}"]
  ),
  attribute(
    "preference",
    "Mira",
    "music",
    "Bach, ambient music, bossa nova",
    ["Mira listens to {v} while working", "At work Mira prefers {v}", "Mira likes {v} when she works"],
    ["Mira listens to {v} while working now", "While working Mira listens to {v}, no longer to {o}"]
  ),
  attribute(
    "preference",
    "Mira",
    "keyboard",
    "Colemak, Dvorak, Workman",
    ["Mira types on a {v} layout", "Mira's keyboard layout is {v}", "Mira prefers the {v} keyboard layout"],
    ["Mira's keyboard layout is {v} now", "Mira switched her keyboard layout from {o} to {v}"]
  ),
  attribute(
    "decision",
    "Tern",
    "database",
    "Postgres, CockroachDB, MariaDB",
    ["Tern stores its data in {v}", "The database of Tern is {v}", "We decided on {v} as the database of Tern"],
    ["The database of Tern is {v} now", "We decided to move the database of Tern from {o} to {v}"]
  ),
  attribute(
    "decision",
    "Tern",
    "deploys",
    "Tuesdays, Thursdays, Wednesdays",
    ["Tern is deployed on {v}", "Deploys of Tern happen on {v}", "We decided that deploys of Tern are on {v}"],
    ["Deploys of Tern happen on {v} now", "Tern is no longer deployed on {o} but on {v}"]
  ),
  attribute(
    "decision",
    "Tern",
    "builds",
    "Buildkite, Woodpecker, Jenkins",
    ["Tern is built by {v}", "The builds of Tern run on {v}", "We decided to run the builds of Tern on {v}"],
    ["The builds of Tern run on {v} now", "We decided to move the builds of Tern from {o} to {v}"]
  ),
  attribute(
    "decision",
    "Tern",
    "logs",
    "14 days, 30 days, 90 days",
    ["Logs of Tern are kept for {v}", "Tern keeps its logs {v}", "We decided to keep the logs of Tern for {v}"],
    ["Logs of Tern are kept for {v} now", "Logs of Tern are no longer kept for {o} but for {v}"]
  ),
  attribute(
    "decision",
    "Tern",
    "cache",
    "Valkey, Memcached, Dragonfly",
    ["Tern caches in {v}", "The cache of Tern is {v}", "We decided on {v} as the cache of Tern"],
    ["The cache of Tern is {v} now", "We decided to replace {o} by {v} as the cache of Tern"]
  ),
  attribute(
    "decision",
    "Kelpie",
    "code",
    "Rust, Kotlin, Elixir",
    ["Kelpie is written in {v}", "The language of Kelpie is {v}", "We decided to write Kelpie in {v}"],
    ["Kelpie is written in {v} now", "We decided to rewrite Kelpie from {o} to {v}"]
  ),
  attribute(
    "decision",
    "Kelpie",
    "licence",
    "Apache 2.0, AGPL, MPL",
    ["Kelpie is under the {v} licence", "The licence of Kelpie is {v}", "We decided to publish Kelpie under {v}"],
    ["The licence of Kelpie is {v} now", "We decided to change the licence of Kelpie from {o} to {v}"]
  ),
  attribute(
    "decision",
    "Kelpie",
    "releases",
    "every two weeks, every month, every quarter",
    ["Kelpie is released {v}", "Releases of Kelpie come {v}", "We decided to release Kelpie {v}"],
    ["Kelpie is released {v} now", "Kelpie is no longer released {o} but {v}"]
  ),
  attribute(
    "decision",
    "Kelpie",
    "host",
    "Hetzner, Scaleway, Exoscale",
    ["Kelpie is hosted at {v}", "The servers of Kelpie are at {v}", "We decided to host Kelpie at {v}"],
    ["Kelpie is hosted at {v} now", "We decided to move the servers of Kelpie from {o} to {v}"]
  ),
  attribute(
    "decision",
    "Kelpie",
    "interface",
    "gRPC, GraphQL, REST",
    ["The interface of Kelpie is {v}", "Kelpie speaks {v}", "We decided on {v} for the interface of Kelpie"],
    ["The interface of Kelpie is {v} now", "We decided to replace {o} by {v} in the interface of Kelpie"]
  )
]
