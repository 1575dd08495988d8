/** A Session in memory, as a host keeps it for the loop; a hosted harness over a script. */
import {
  CallId,
  type CallOutcome,
  ConversationId,
  type EventPayload,
  type EventType,
  type ModelScript,
  type StoredEvent,
  type TurnId
} from "@steno/contracts"
import type { OfferedTool, ProposalAnswer, ProposedCall, ProposedMessage, TurnRequest } from "@steno/harness-seam"
import type { RecordingAnswers } from "@steno/harness-seam/testing"
import { Effect } from "effect"
import { type HostedHarnessOptions, makeHostedHarness } from "./hosted-harness.ts"

export interface CallEnd {
  readonly outcome?: CallOutcome
  readonly agentProjection?: string
}

const conversationId = ConversationId.make("conv_01ARZ3NDEKTSV4RRFFQ69G5FAV")

export const testCallId = (ordinal: number): CallId => CallId.make(`call_01ARZ3NDEKTSV4RRFFQ${String(ordinal).padStart(7, "0")}`)

export const storedEvent = <Type extends EventType>(
  type: Type,
  payload: EventPayload<Type>,
  sequence: number,
  turnId: TurnId
): StoredEvent =>
  // One generic event for all types: the payload is that of `type` by the signature.
  ({ conversationId, sequence, turnId, type, version: 1, payload, createdAt: "2026-01-01T00:00:00.000Z" }) as StoredEvent

export interface SessionLog {
  readonly events: Array<StoredEvent>
  readonly add: <Type extends EventType>(type: Type, payload: EventPayload<Type>, turnId: TurnId) => void
  /** What the host answers in one Turn; `run` is what becomes of a call. */
  readonly answers: (request: TurnRequest, run?: (call: ProposedCall) => Effect.Effect<CallEnd>) => RecordingAnswers
}

export const makeSessionLog = (tools: ReadonlyArray<OfferedTool> = []): SessionLog => {
  const events: Array<StoredEvent> = []
  let calls = 0
  const add: SessionLog["add"] = (type, payload, turnId) => {
    events.push(storedEvent(type, payload, events.length + 1, turnId))
  }
  const propose = Effect.fnUntraced(function*(
    { blocks }: ProposedMessage,
    { turnId }: TurnRequest,
    run: (call: ProposedCall) => Effect.Effect<CallEnd>
  ): Effect.fn.Return<ProposalAnswer> {
    const created = blocks.flatMap((block) => (block.type === "call" ? [{ block, callId: testCallId(calls++) }] : []))
    add("assistant-message", {
      blocks: blocks.map((block, firstSeen) => {
        if (block.type === "text") return { type: "text", itemId: block.messageId, firstSeen, content: block.content }
        if (block.type === "reasoning-summary") return { type: block.type, itemId: block.summaryId, firstSeen, content: block.content }
        const call = created.find((one) => one.block === block)
        return { ...block, callId: call?.callId ?? testCallId(0), firstSeen } as EventPayload<"assistant-message">["blocks"][number]
      })
    }, turnId)
    const results = yield* Effect.forEach(created, ({ block, callId }) =>
      Effect.map(run(block), ({ agentProjection, outcome = "completed" }) => {
        const projection = agentProjection === undefined ? {} : { agentProjection }
        add("tool-call-response", {
          callId, tool: block.tool, origin: "model", outcome, survivors: [], warnings: [], assetIds: [], ...projection
        }, turnId)
        return { itemId: block.itemId, callId, outcome, ...projection }
      }), { concurrency: "unbounded" })
    return { kind: "settled", results }
  })
  return {
    events,
    add,
    answers: (request, run = () => Effect.succeed({ agentProjection: "ok" })) => {
      let stored = request.continues !== undefined
      return {
        context: Effect.sync(() => {
          if (!stored) {
            add("turn-admitted", { input: request.input, origin: request.origin, harness: { id: "hosted" } }, request.turnId)
          }
          stored = true
          return { events: [...events], tools }
        }),
        propose: (message) => propose(message, request, run)
      }
    }
  }
}

export const bashTool: OfferedTool = {
  name: "bash",
  description: "Runs a command.",
  inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] }
}

/** A hosted harness whose only file is the script `/script.json`, which is its default model. */
export const scriptedHarness = (script: ModelScript, options: Partial<HostedHarnessOptions> = {}) =>
  makeHostedHarness({
    providers: {},
    readScript: (file) => Effect.succeed(file === "/script.json" ? JSON.stringify(script) : undefined),
    readImage: () => Effect.succeed(undefined),
    defaultModel: "script:/script.json",
    ...options
  })

