/**
 * Plays the Turns of a recording through the reader and the Seam's producer.
 *
 * Owns: finding the Turns in the recorded lines; what the recorder answered is what a person answered.
 */
import { Diagnostics, Secrets, type TurnEvent, TurnProducer } from "@steno/harness-seam"
import { makeRecordingTurnHost } from "@steno/harness-seam/testing"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { type AcpMessage, type NativeAnswer, type NativeId, readMessage } from "../acp-message.ts"
import { type JsonRecord, recordOf, recordsOf, textOf } from "../lenient-value.ts"
import { SessionReader, type TurnReading } from "../session-reader.ts"

export const recordings = new URL("../../../../tools/live-harnesses/recordings/opencode/", import.meta.url)

interface RecordedLine {
  readonly process: number
  readonly direction: "in" | "out" | "err"
  readonly line: string
}

export const recordedLines = (scenario: string): ReadonlyArray<RecordedLine> =>
  readFileSync(new URL(`${scenario}/lines.jsonl`, recordings), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))

export interface ReplayedTurn {
  readonly input: string
  readonly events: ReadonlyArray<TurnEvent>
  readonly answer: NativeAnswer | undefined
  readonly sinks: ReadonlyArray<string>
}

const promptOf = (params: JsonRecord): string => recordsOf(params.prompt).flatMap(({ text }) => textOf(text) ?? []).join("")

interface LiveTurn {
  readonly id: NativeId
  readonly reader: SessionReader
  readonly end: (answer: NativeAnswer | undefined) => Effect.Effect<ReplayedTurn>
}

const begin = Effect.fnUntraced(function*(reading: TurnReading, id: NativeId, input: string) {
  const host = makeRecordingTurnHost()
  const diagnostics = new Diagnostics()
  const turn = new TurnProducer({
    harness: { id: "opencode", name: "opencode" },
    host,
    secrets: new Secrets([]),
    diagnostics,
    sealed: () => undefined
  })
  yield* turn.admit({})
  const events: Array<TurnEvent> = []
  turn.subscribe((event) => events.push(event))
  const reader = new SessionReader(reading, {
    ids: turn.ids,
    report: (report) => turn.report(report),
    odd: (code, text) => diagnostics.note(code, text),
    isTerminal: () => false,
    join: (itemId) => turn.joinExecuted(itemId),
    past: new Set()
  })
  const end = Effect.fnUntraced(function*(answer: NativeAnswer | undefined) {
    reader.close(answer?.kind === "result" && answer.result.stopReason === "end_turn")
    yield* turn.end({ kind: "completed", availability: "open" })
    return { input, events, answer, sinks: [...host.sinks.values()].map(({ text }) => text) } satisfies ReplayedTurn
  })
  return { id, reader, end } satisfies LiveTurn
})

/** The Turns of one recording, those of all its processes. One whose process was killed has no answer. */
export const replay = Effect.fnUntraced(function*(scenario: string, reading: TurnReading) {
  const turns: Array<ReplayedTurn> = []
  const asked = new Map<NativeId, JsonRecord>()
  let live: LiveTurn | undefined
  let from = 0
  const incoming = Effect.fnUntraced(function*(message: AcpMessage) {
    if (live === undefined) return
    if (message.kind === "notification") live.reader.update(recordOf(message.params.update))
    if (message.kind === "request" && message.method === "session/request_permission") {
      asked.set(message.id, message.params)
      live.reader.permission(recordOf(message.params.toolCall))
    }
    if (message.kind === "answer" && message.id === live.id) {
      turns.push(yield* live.end(message.answer))
      live = undefined
    }
  })
  const outgoing = Effect.fnUntraced(function*(message: AcpMessage) {
    if (message.kind === "request" && message.method === "session/prompt" && live === undefined) {
      live = yield* begin(reading, message.id, promptOf(message.params))
    }
    if (message.kind === "notification" && message.method === "session/cancel") live?.reader.calls.cancelled()
    if (message.kind !== "answer" || message.answer.kind === "error") return
    const params = asked.get(message.id)
    const chosen = textOf(recordOf(message.answer.result.outcome).optionId)
    const refused = recordsOf(params?.options).some((option) => option.optionId === chosen && option.kind === "reject_once")
    if (refused) live?.reader.calls.refused(textOf(recordOf(params?.toolCall).toolCallId) ?? "")
  })
  for (const { direction, line, process } of recordedLines(scenario)) {
    if (process !== from && live !== undefined) {
      turns.push(yield* live.end(undefined))
      live = undefined
    }
    from = process
    if (direction === "err") continue
    yield* (direction === "out" ? incoming : outgoing)(readMessage(JSON.parse(line)))
  }
  return turns
})
