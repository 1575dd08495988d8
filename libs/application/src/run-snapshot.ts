/**
 * Builds what a client sees of a Run from what is stored.
 *
 * Owns: derivation of the Run document; pure.
 * Never owns: reading the store (ledger), shortening (result-projection), its timeline, what it asks and offers (modules of their own).
 */
import {
  type Asset,
  callFolder,
  type CallId,
  type ConversationId,
  type RunCall,
  type RunSnapshot,
  type ToolCallResponse,
  type TurnId,
  unreadableFacts
} from "@steno/contracts"
import { callInput, transcriptReference } from "@steno/history-projection"
import type { RunRecord, TurnRow } from "@steno/ledger"
import { actionOffers } from "./action-offers.ts"
import { heldAgentCall } from "./agent-calls.ts"
import type { Ownership } from "./ownership.ts"
import { openRequests, pendingRequests } from "./open-requests.ts"
import { pendingInteractions, pendingReview } from "./pending-interactions.ts"
import { callEnd, inRunOrder, type RecordedCall, recordedCalls } from "./recorded-calls.ts"
import { runTimeline } from "./run-timeline.ts"
import { abandonedRunState, abandonedTurnResult } from "./turn-rules.ts"

/** The file that serves as combined output: output.txt, else that of the only stream that printed. Without a response that is the only file. */
export const outputAsset = (assets: ReadonlyArray<Asset>, callId: CallId, capture: ToolCallResponse["capture"]): Asset | undefined => {
  const files = assets.filter((asset) => asset.callId === callId && asset.category === "output")
  const bothPrinted = capture === undefined ? files.length > 1 : capture.stdout.observedBytes > 0 && capture.stderr.observedBytes > 0
  return files.find((asset) => asset.stream === "output") ?? (bothPrinted ? undefined : files[0])
}

/** Sizes are those of what was captured, else those of the whole result. */
const outputField = ({ agentProjection, capture, cardProjection }: ToolCallResponse, path: string | undefined): Pick<RunCall, "output"> => {
  const captured = capture?.output
  const sizes = captured === undefined
    ? cardProjection?.stats
    : { lines: captured.observedLines, bytes: captured.observedBytes }
  if (sizes === undefined) return {}
  return {
    output: {
      lines: sizes.lines,
      bytes: sizes.bytes,
      ...(captured !== undefined && captured.droppedBytes > 0 ? { droppedBytes: captured.droppedBytes } : {}),
      ...(agentProjection === undefined ? {} : { projection: agentProjection }),
      ...(path === undefined ? {} : { path })
    }
  }
}

const settledFields = (
  response: ToolCallResponse,
  assets: ReadonlyArray<Asset>,
  home: string
): Partial<RunCall> => {
  const file = outputAsset(assets, response.callId, response.capture)
  return {
    outcome: response.outcome,
    ...(response.reason === undefined ? {} : { reason: response.reason }),
    ...(response.exitCode === undefined ? {} : { exitCode: response.exitCode }),
    ...(response.signal === undefined ? {} : { signal: response.signal }),
    ...(response.timedOut === undefined ? {} : { timedOut: response.timedOut }),
    ...(response.durationMs === undefined ? {} : { durationMs: response.durationMs }),
    ...(response.survivors.length === 0 ? {} : { survivors: response.survivors }),
    ...(response.warnings.length === 0 ? {} : { warnings: response.warnings }),
    ...outputField(response, file === undefined ? undefined : `${home}/${file.path}`)
  }
}

const endFields = (call: RecordedCall, { home, ownership, record }: SnapshotFacts): Partial<RunCall> => {
  const end = callEnd(call, ownership)
  switch (end.kind) {
    case "responded":
      return settledFields(end.response, record.assets, home)
    case "open":
      return { state: end.state }
    case "derived":
      return { outcome: end.outcome, ...(end.reason === undefined ? {} : { reason: end.reason }) }
  }
}

/** The model that the first Turn asked for, and the one that answered last. */
const modelsOf = ({ events }: Pick<RunRecord, "events">): Pick<RunSnapshot, "requestedModel" | "effectiveModel"> => {
  const requestedModel = events.find((event) => event.type === "turn-admitted")?.payload.requestedModel
  const effectiveModel = events
    .flatMap((event) => event.type === "assistant-message" || event.type === "model" ? [event.payload.model] : [])
    .findLast((model) => model !== undefined)
  return {
    ...(requestedModel === undefined ? {} : { requestedModel }),
    ...(effectiveModel === undefined ? {} : { effectiveModel })
  }
}

/** Why each Turn ended as it did, where that is stored. */
const turnDetails = ({ events }: Pick<RunRecord, "events">): ReadonlyMap<TurnId, string> =>
  new Map(events.flatMap((event) =>
    event.type === "turn-settled" && event.payload.detail !== undefined ? [[event.turnId, event.payload.detail]] : []
  ))

export interface SnapshotFacts {
  readonly record: RunRecord
  readonly ownership: Ownership
  /** Absolute path of the home. */
  readonly home: string
}

/** An abandoned Run is shown as the next writer will settle it; nothing is written here. */
export const buildSnapshot = (facts: SnapshotFacts): RunSnapshot => {
  const { ownership, record } = facts
  const { run } = record
  const abandoned = ownership === "abandoned"
  const sessionName = new Map<ConversationId, string>(record.sessions.map((row) => [row.conversationId, row.name]))
  const nameOf = (id: ConversationId) => sessionName.get(id) ?? ""
  const turnResult = (turn: TurnRow) => turn.result ?? (abandoned ? abandonedTurnResult(record, turn) : undefined)

  const details = turnDetails(record)
  const calls = recordedCalls(record)
  const held = heldAgentCall(record)
  const asking = ownership === "here" || ownership === "elsewhere" ? openRequests(record) : []
  const pending = [
    ...pendingInteractions(calls, nameOf),
    ...(held === undefined ? [] : pendingReview(held, calls, nameOf)),
    ...pendingRequests(asking, nameOf)
  ]
  const unreadable = record.events.flatMap((event) =>
    event.type === "unreadable" ? [{ session: nameOf(event.conversationId), ...unreadableFacts(event) }] : []
  )

  return {
    runId: run.runId,
    kind: run.kind,
    workspacePath: run.workspacePath,
    harness: run.harness,
    ...modelsOf(record),
    launchedAt: run.launchedAt,
    ...(run.settledAt === undefined ? {} : { settledAt: run.settledAt }),
    state: abandoned ? abandonedRunState(record) : run.state,
    liveness: ownership === "here"
      ? { state: "live", ...(run.owner === undefined ? {} : { ownerPid: run.owner.pid }) }
      : ownership === "elsewhere"
      ? { state: "live-elsewhere", ...(run.owner === undefined ? {} : { ownerPid: run.owner.pid }) }
      : { state: "resting" },
    sessions: record.sessions.map((session) => ({
      session: session.name,
      conversationId: session.conversationId,
      availability: session.availability,
      transcriptPage: transcriptReference("page", session),
      transcriptExport: transcriptReference("export", session)
    })),
    turns: record.turns.map((turn) => {
      const result = turnResult(turn)
      const detail = details.get(turn.turnId)
      const durationMs = turn.settledAt === undefined || result === "lost" || result === "not-started"
        ? undefined
        : Date.parse(turn.settledAt) - Date.parse(turn.admittedAt)
      return {
        turnId: turn.turnId,
        session: nameOf(turn.conversationId),
        origin: turn.origin,
        ...(turn.entry ? { entry: true as const } : {}),
        ...(result === undefined ? {} : { result }),
        ...(detail === undefined ? {} : { detail }),
        admittedAt: turn.admittedAt,
        ...(turn.settledAt === undefined ? {} : { settledAt: turn.settledAt }),
        ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs })
      }
    }),
    timeline: runTimeline(inRunOrder(record), calls),
    calls: calls.map((call, index) => ({
      callId: call.callId,
      ordinal: index + 1,
      session: nameOf(call.conversationId),
      turnId: call.turnId,
      tool: call.tool,
      input: callInput(call) ?? "",
      ...endFields(call, facts),
      ...(callInput(call) === undefined ? { inputUnreadable: true as const } : {})
    })),
    pending,
    asyncBash: [],
    actionOffers: actionOffers({ record, ownership, pending }),
    ...(unreadable.length === 0 ? {} : { unreadable })
  }
}

/** Absolute folder of a call's files. */
export const callFolderPath = (home: string, conversationId: ConversationId, callId: CallId): string =>
  `${home}/${callFolder(conversationId, callId)}`
