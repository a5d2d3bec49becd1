import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { findSensitiveData } from "../text/personal/findSensitiveData.js"
import { rounds } from "./support/size.js"

interface Line {
  /** In parts where the whole would look like a secret that leaked. */
  readonly text: string | ReadonlyArray<string>
  readonly pii?: ReadonlyArray<string>
  readonly credential?: ReadonlyArray<string>
}

const lines: ReadonlyArray<Line> = JSON.parse(
  readFileSync(new URL("./fixtures/marks/lines.json", import.meta.url), "utf8")
)
/** Lines with one secret each, and lines that only look as if they had one. */
const { ordinary, secrets }: { readonly secrets: ReadonlyArray<Line>; readonly ordinary: ReadonlyArray<string> } =
  JSON.parse(readFileSync(new URL("./fixtures/marks/secrets.json", import.meta.url), "utf8"))
/** Access codes in ordinary words, and numbers near the same words that open nothing. */
const codes: {
  readonly secrets: ReadonlyArray<{ readonly text: string; readonly value: string }>
  readonly ordinary: ReadonlyArray<string>
} = JSON.parse(readFileSync(new URL("./fixtures/marks/codes.json", import.meta.url), "utf8"))
const textOf = ({ text }: Line): string => (typeof text === "string" ? text : text.join(""))
const kindsOf = (text: string): ReadonlyArray<string> => {
  const { credential, pii } = findSensitiveData([text])
  return [...pii, ...credential]
}

/** CPU milliseconds of the best of some runs: other processes on the machine count for little. */
const cpu = (runs: number, work: () => void): number => {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage()
    work()
    const { system, user } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}

describe("marks", () => {
  it("are found with few false positives and few misses", () => {
    expect(lines.length).toBeGreaterThanOrEqual(400)
    expect(lines.filter(({ credential, pii }) => pii === undefined && credential === undefined).length).toBeGreaterThan(
      200
    )
    const counts = new Map<string, { right: number; wrong: number; missed: number }>()
    const all = { right: 0, wrong: 0, missed: 0 }
    const wrong: Array<string> = []
    for (const line of lines) {
      const found = kindsOf(textOf(line))
      const meant = [...(line.pii ?? []), ...(line.credential ?? [])]
      for (const kind of new Set([...found, ...meant])) {
        const count = counts.get(kind) ?? { right: 0, wrong: 0, missed: 0 }
        counts.set(kind, count)
        const verdict = !found.includes(kind) ? "missed" : meant.includes(kind) ? "right" : "wrong"
        count[verdict]++
        all[verdict]++
        if (verdict !== "right") wrong.push(`${verdict} ${kind}: ${textOf(line)}`)
      }
    }
    const precision = ({ right, wrong }: typeof all) => right / (right + wrong)
    const recall = ({ missed, right }: typeof all) => right / (right + missed)
    const table = [...counts, ["all", all] as const].map(
      ([kind, count]) =>
        `${kind.padEnd(12)} ${String(count.right + count.missed).padStart(4)} precision ${precision(count).toFixed(3)} recall ${recall(count).toFixed(3)}`
    )
    console.log([...table, ...wrong].join("\n"))
    expect(precision(all)).toBeGreaterThanOrEqual(0.97)
    expect(recall(all)).toBeGreaterThanOrEqual(0.93)
    expect([...counts.keys()].sort()).toEqual(
      ["address", "api-key", "card", "email", "iban", "national-id", "password", "phone", "private-key", "token"].sort()
    )
    // A false alarm hides a memory from those it was for: of credentials there is none.
    expect(wrong.filter((one) => /^wrong (?:password|token|api-key|private-key):/.test(one))).toEqual([])
    for (const [kind, count] of counts) {
      expect([kind, precision(count) >= 0.94, recall(count) >= 0.88]).toEqual([kind, true, true])
    }
  })

  it("include an e-mail address for a text with more candidates than are checked", () => {
    expect(kindsOf("you@example.com ".repeat(5_000))).toEqual([])
    expect(kindsOf("you@example.com ".repeat(5_001))).toEqual(["email"])
    expect(kindsOf("@me-".repeat(100_000))).toEqual([])
    expect(kindsOf(`${"@me-".repeat(100_000)} ada@northmill.co.uk`)).toEqual(["email"])
  })

  it("of commands, logins, keys and spoken passphrases are found, and none in text that resembles them", () => {
    expect([secrets.length >= 160, ordinary.length >= 320]).toEqual([true, true])
    expect(ordinary.filter((text) => findSensitiveData([text]).credential.length > 0)).toEqual([])
    const missed = secrets.filter((line) => !line.credential!.every((kind) => kindsOf(textOf(line)).includes(kind)))
    console.log(missed.map((line) => `missed ${line.credential}: ${textOf(line)}`).join("\n"))
    expect(missed.length / secrets.length).toBeLessThanOrEqual(0.04)
  })

  it("of access codes in ordinary words are found, and none in numbers near such words", () => {
    const isFound = (text: string) => findSensitiveData([text]).credential.length > 0
    expect([codes.secrets.length >= 80, codes.ordinary.length >= 90]).toEqual([true, true])
    expect(codes.secrets.filter(({ text }) => !isFound(text))).toEqual([])
    expect(codes.ordinary.filter(isFound)).toEqual([])
  })

  it("do not depend on digits, spaces and dashes of a number", () => {
    const written = "card 4000 0062 3985 4713, phone +49 171 234-5678"
    const variants = [
      written.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
      written.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit))),
      written.replace(/\d/g, (digit) => String.fromCharCode(0x966 + Number(digit))),
      written.replace(/\d/g, (digit) => String.fromCodePoint(0x1d7d8 + Number(digit))),
      written.replaceAll(" ", "\u00a0"),
      written.replaceAll(" ", "\u2009"),
      written.replaceAll("-", "\u2011"),
      written.replaceAll("-", "\u2212"),
      written.replace(/\d(?=\d)/g, "$&\u200b")
    ]
    for (const variant of [written, ...variants])
      expect([variant, kindsOf(variant)]).toEqual([variant, ["phone", "card"]])
  })

  it("depend on check digits: no other last digit of a card or account passes", () => {
    const [card, iban] = ["400000623985471", "DE8937040044053201300"]
    const passing = (stem: string, kind: string) =>
      [..."0123456789"].filter((digit) => kindsOf(`no ${stem}${digit} there`).includes(kind))
    expect(passing(card, "card")).toEqual(["3"])
    expect(passing(iban, "iban")).toEqual(["0"])
  })

  it("of the second card are those of one card", () => {
    const cards = ["Card: 5200004902907210 exp 09/28", "the team card is 4000 0062 3985 4713"]
    expect(findSensitiveData(cards)).toEqual({ pii: ["card"], credential: [] })
  })

  it.prop("of several texts are of each", [fc.array(fc.constantFrom(...lines), { maxLength: 4 })], ([some]) => {
    const each = new Set(some.flatMap((line) => kindsOf(textOf(line))))
    const { credential, pii } = findSensitiveData(some.map(textOf))
    expect(new Set([...pii, ...credential])).toEqual(each)
  })

  it.prop("never throw", [fc.string({ unit: "binary", maxLength: 300 })], ([text]) => {
    findSensitiveData([text, `${text}@${text}.de`, `password: ${text}`, `+49${text}12345`])
  })

  it("take time in proportion to the text, for any text", () => {
    const seeds =
      "1|1 |11 |111 |1234567 |1234567, |4111 |4111 1111 1111 1112 |0171 |+1 |+49 171 |(|@|a@|a@a.|me@x-|a (at) |password |password for |password: |password is the |password=\"|secret_password_|token|eyJ|eyJaaaaaaaaaaa.|eyJaaaaaaaaaaaaaaaa.eyJa.a |sk-|sk-aaaaaaaaaaaaaaaaaaaaa_ |-----BEGIN PRIVATE KEY-----|://|://a:bbbbbbbbbb|Street |1 A Street|12 Aa Aa Aa Aa |Abcstraße |Calle de la |Calle Aa Aa Aa Aa Aa |中路1|中|市aaaaaaaaaaaa1|DE89 |DE89370400440532013001 |ABCDEFGH1234 |seed phrase abandon abandon |bearer |１|１　|٣|𝟙|\u200b|\n|_|passport no 1 |DNI 1234567 |order 1234567 |tel tel 1234567 |12-|1.|ssh a@b.c |ul. A 1|Via Aaa Aaa |شارع |ул Аааааа |a|aA1-|hooks.slack.com/services/|mysql -p|mysql |docker   |sshpass -p $|curl -u a:|curl -u aaaaaaaaaaaaa|login a / |login for a a a |logins: a:|echo a:bbbb \\| |net user a |the passphrase is aaa aaa |passphrase: aaa aaa aaa aaa the |private key 0xaaaaaaaaaaaaaaaaaaaa|box: password |door code |the door code 1 |code for the |code |code it's |gate codes: 1 2 |1 2 3 4 |4471 opens the |punch in |one two |safe: |combination 1-1-1-|password got changed |password is "
    const characters = rounds({ quick: 30_000, full: 100_000, ci: 100_000 })
    for (const seed of seeds.split("|")) {
      const text = seed.repeat(Math.ceil(characters / seed.length)).slice(0, characters)
      // Milliseconds where time is in proportion; minutes where it is not.
      const millis = cpu(2, () => findSensitiveData([text]))
      expect([seed, millis < 2_000]).toEqual([seed, true])
    }
  })
})
