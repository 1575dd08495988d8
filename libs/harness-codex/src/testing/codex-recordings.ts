/**
 * Replays what Codex was recorded to say through the reader of a Turn and the producer.
 *
 * Owns: cutting a recording into native Turns, as its client began them.
 */
import { Diagnostics, Secrets, type TurnEvent, TurnProducer } from "@steno/harness-seam"
import { makeRecordingTurnHost } from "@steno/harness-seam/testing"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { codexFrame } from "../codex-frame.ts"
import { CodexTurn, type NativeEnd, type TurnFact } from "../codex-turn.ts"

const folder = fileURLToPath(new URL("../../../../tools/live-harnesses/recordings/codex/", import.meta.url))

export const recordingNames: ReadonlyArray<string> = readdirSync(folder).toSorted()

export interface RecordedLine {
  readonly process: number
  readonly direction: "in" | "out" | "err"
  readonly line: string
}

export const recordedLines = (name: string): ReadonlyArray<RecordedLine> =>
  readFileSync(join(folder, name, "lines.jsonl"), "utf8").trimEnd().split("\n").map((text) => JSON.parse(text) as RecordedLine)

export interface ReplayedTurn {
  readonly events: ReadonlyArray<TurnEvent>
  readonly end: NativeEnd | undefined
  readonly oddities: ReadonlyArray<string>
  readonly nativeIds: ReadonlySet<string>
}

const nativeIds = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/"(?:threadId|turnId|itemId|id)":"([^"]+)"/g)].flatMap(([, id]) => (id === undefined ? [] : [id]))

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** Each Turn that the recorded client started, with what came until the next one. */
export const replay = (name: string) =>
  Effect.gen(function*() {
    const turns: Array<ReplayedTurn> = []
    let producer: TurnProducer | undefined
    let reader: CodexTurn | undefined
    let startId: unknown
    let end: NativeEnd | undefined
    let oddities: Array<string> = []
    let ids = new Set<string>()

    const take = (facts: ReadonlyArray<TurnFact>) => {
      for (const fact of facts) {
        if (fact.kind === "report") producer?.report(fact.report)
        else if (fact.kind === "ended") end = fact.end
        else oddities.push(`${fact.code} ${fact.text}`)
      }
    }
    const finish = Effect.fnUntraced(function*() {
      if (producer === undefined) return
      yield* producer.end(
        end?.kind === "completed"
          ? { kind: "completed", availability: "open" }
          : { kind: "interrupted", confirmedBy: "active-turn", availability: "open" }
      )
      const events: Array<TurnEvent> = []
      producer.subscribe((event) => events.push(event))
      turns.push({ events, end, oddities, nativeIds: ids })
      producer = undefined
      reader = undefined
      end = undefined
      oddities = []
      ids = new Set()
    })

    for (const { direction, line } of recordedLines(name)) {
      if (direction === "err") continue
      const frame = codexFrame(JSON.parse(line))
      if (direction === "in" && frame.kind === "request" && frame.method === "turn/start") {
        yield* finish()
        producer = new TurnProducer({
          harness: { id: "codex", name: "Codex" },
          host: makeRecordingTurnHost(),
          secrets: new Secrets([]),
          diagnostics: new Diagnostics(),
          sealed: () => undefined
        })
        yield* producer.admit({})
        const threadId = String(field(frame.params, "threadId"))
        reader = new CodexTurn({ ids: producer.ids, threadId, agentCallServer: "steno" })
        startId = frame.id
        continue
      }
      if (direction === "in" && frame.kind === "request" && frame.method === "turn/steer") {
        const steerId = field(frame.params, "clientUserMessageId")
        if (typeof steerId === "string" && producer !== undefined) {
          reader?.sendSteer(steerId)
          yield* producer.steer({ steerId, text: "" }, Effect.succeed({ kind: "accepted" }))
        }
      }
      if (direction === "in") continue
      for (const id of nativeIds(line)) ids.add(id)
      if (frame.kind === "answer" && frame.id === startId) {
        take(reader?.accept(String(field(field(frame.result, "turn"), "id"))) ?? [])
      } else if (frame.kind === "notification") take(reader?.read(frame) ?? [])
    }
    yield* finish()
    return turns
  })
