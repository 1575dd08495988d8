import { ItemIds } from "@steno/harness-seam"
import { type JsonLine, JsonLineReader } from "@steno/process-host"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { isFields } from "./frame-fields.ts"
import { isUnasked } from "./native-end.ts"
import type { TurnFact } from "./turn-fact.ts"
import { TurnReader } from "./turn-reader.ts"

const recordings = fileURLToPath(new URL("../../../tools/live-harnesses/recordings/claude-code/", import.meta.url))

interface RecordedLine {
  readonly process: number
  readonly direction: "in" | "out" | "err"
  readonly line: string
}

interface LiveTurn {
  readonly process: number
  readonly reader: TurnReader
  readonly facts: Array<TurnFact>
  /** User messages of which nothing is known yet. */
  pending: number
}

const linesOf = (scenario: string): ReadonlyArray<RecordedLine> =>
  readFileSync(join(recordings, scenario, "lines.jsonl"), "utf8").trimEnd().split("\n").map((line): RecordedLine => JSON.parse(line))

/** The facts of each Turn in a recording: from an input that begins one to its result. */
const turnsOf = (scenario: string): ReadonlyArray<ReadonlyArray<TurnFact>> => {
  const turns: Array<Array<TurnFact>> = []
  let live: LiveTurn | undefined
  for (const { direction, line, process } of linesOf(scenario)) {
    if (direction === "err") continue
    if (live !== undefined && live.process !== process) live = undefined
    const frame: unknown = JSON.parse(line)
    if (!isFields(frame)) continue
    if (direction === "in") {
      if (frame["type"] !== "user") continue
      if (live !== undefined) {
        live.pending++
        continue
      }
      live = { process, reader: new TurnReader({ ids: new ItemIds() }), facts: [], pending: 0 }
      turns.push(live.facts)
      continue
    }
    if (live === undefined || frame["type"] === "control_response") continue
    const turn: LiveTurn = live
    const facts = turn.reader.read(frame)
    turn.facts.push(...facts)
    for (const fact of facts) {
      if (fact.kind === "message-state" && fact.state !== "queued") turn.pending--
      if (fact.kind === "end" && turn.pending === 0 && !isUnasked(fact.frame, "")) live = undefined
    }
  }
  return turns
}

/** Frames of ends are told by what they mean; ids of a recording are not facts of the program. */
const plain = (fact: TurnFact): unknown => {
  if (fact.kind === "end") return { kind: "end", end: fact.end }
  if (fact.kind === "coordinate") return { kind: "coordinate" }
  if (fact.kind === "report" && fact.report.type === "session") {
    return { kind: "report", report: { ...fact.report, facts: Object.keys(fact.report.facts) } }
  }
  return fact
}

describe("a recording", () => {
  for (const scenario of readdirSync(recordings)) {
    it(`${scenario} means what was seen of it`, async () => {
      const turns = turnsOf(scenario).map((facts) => facts.map(plain))
      await expect(`${JSON.stringify(turns, null, 2)}\n`).toMatchFileSnapshot(`../fixtures/${scenario}.json`)
    })
  }
})

describe("a recording that comes in pieces", () => {
  for (const scenario of ["thoughts", "parallel-tools", "sub-agent"]) {
    it(`${scenario} means the same at every split`, () => {
      const lines = linesOf(scenario).filter(({ direction }) => direction === "out").map(({ line }) => line)
      const bytes = new TextEncoder().encode(`${lines.join("\n")}\n`)
      const read = (pieces: ReadonlyArray<Uint8Array>) => {
        const reader = new JsonLineReader()
        const turn = new TurnReader({ ids: new ItemIds() })
        return pieces.flatMap((piece) => reader.push(piece)).flatMap((line): ReadonlyArray<TurnFact | JsonLine> =>
          line.kind === "message" && isFields(line.value) ? turn.read(line.value) : [line]
        )
      }
      expect(read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(read([bytes]))
    })
  }
})
