/**
 * Builds what a client sees of a Run from what is stored.
 *
 * Owns: derivation of the Run document; pure.
 * Never owns: reading the store (ledger), shortening (result-projection).
 */
import {
  type Asset,
  callFolder,
  type CallId,
  type ConversationId,
  type EventType,
  type RunCall,
  type RunSnapshot,
  type ToolCallResponse,
  type TimelineEntry,
  unreadableFacts
} from "@steno/contracts"
import { transcriptReference } from "@steno/history-projection"
import type { RunRecord, TurnRow } from "@steno/ledger"
import type { Ownership } from "./ownership.ts"
import { callEnd, inRunOrder, type OrderedEvent, type RecordedCall, recordedCalls } from "./recorded-calls.ts"
import { abandonedRunState, abandonedTurnResult } from "./turn-rules.ts"

const timelineNames: Readonly<Record<EventType, (typeof TimelineEntry.Type)["event"]>> = {
  "turn-admitted": "turn-admitted",
  "tool-call-started": "tool-call-started",
  "tool-call-response": "tool-call-settled",
  "turn-settled": "turn-settled"
}

const isEventType = (type: string | undefined): type is EventType => type !== undefined && Object.hasOwn(timelineNames, type)

const detailOf = (event: OrderedEvent["event"]): Pick<typeof TimelineEntry.Type, "detail" | "unreadable"> => {
  switch (event.type) {
    case "turn-admitted":
      return {}
    case "tool-call-started":
      return { detail: event.payload.tool }
    case "tool-call-response":
      return { detail: event.payload.outcome }
    case "turn-settled":
      return { detail: event.payload.result }
    case "unreadable":
      return { unreadable: true }
  }
}

/** That something happened is known from the stored type alone; a place without one is in `unreadable` only. */
const timelineEntry = ({ at, event }: OrderedEvent): ReadonlyArray<typeof TimelineEntry.Type> => {
  const type = event.type === "unreadable" ? event.storedType : event.type
  return isEventType(type)
    ? [{ at: event.createdAt ?? at, event: timelineNames[type], ...detailOf(event), ...(event.turnId === undefined ? {} : { turnId: event.turnId }) }]
    : []
}

/** The file that serves as combined output: output.txt, else that of the only stream that printed. Without a response that is the only file. */
export const outputAsset = (assets: ReadonlyArray<Asset>, callId: CallId, capture: ToolCallResponse["capture"]): Asset | undefined => {
  const files = assets.filter((asset) => asset.callId === callId && asset.category === "output")
  const bothPrinted = capture === undefined ? files.length > 1 : capture.stdout.observedBytes > 0 && capture.stderr.observedBytes > 0
  return files.find((asset) => asset.stream === "output") ?? (bothPrinted ? undefined : files[0])
}

const settledFields = (
  response: ToolCallResponse,
  assets: ReadonlyArray<Asset>,
  home: string
): Partial<RunCall> => {
  const file = outputAsset(assets, response.callId, response.capture)
  const output = response.capture?.output
  return {
    outcome: response.outcome,
    ...(response.reason === undefined ? {} : { reason: response.reason }),
    ...(response.exitCode === undefined ? {} : { exitCode: response.exitCode }),
    ...(response.signal === undefined ? {} : { signal: response.signal }),
    ...(response.timedOut === undefined ? {} : { timedOut: response.timedOut }),
    ...(response.durationMs === undefined ? {} : { durationMs: response.durationMs }),
    ...(response.survivors.length === 0 ? {} : { survivors: response.survivors }),
    ...(response.warnings.length === 0 ? {} : { warnings: response.warnings }),
    ...(output === undefined ? {} : {
      output: {
        lines: output.observedLines,
        bytes: output.observedBytes,
        ...(output.droppedBytes > 0 ? { droppedBytes: output.droppedBytes } : {}),
        ...(response.agentProjection === undefined ? {} : { projection: response.agentProjection }),
        ...(file === undefined ? {} : { path: `${home}/${file.path}` })
      }
    })
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

  const unreadable = record.events.flatMap((event) =>
    event.type === "unreadable" ? [{ session: nameOf(event.conversationId), ...unreadableFacts(event) }] : []
  )

  return {
    runId: run.runId,
    kind: run.kind,
    workspacePath: run.workspacePath,
    harness: run.harness,
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
      const durationMs = turn.settledAt === undefined || result === "lost" || result === "not-started"
        ? undefined
        : Date.parse(turn.settledAt) - Date.parse(turn.admittedAt)
      return {
        turnId: turn.turnId,
        session: nameOf(turn.conversationId),
        origin: turn.origin,
        ...(turn.entry ? { entry: true as const } : {}),
        ...(result === undefined ? {} : { result }),
        admittedAt: turn.admittedAt,
        ...(turn.settledAt === undefined ? {} : { settledAt: turn.settledAt }),
        ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs })
      }
    }),
    timeline: inRunOrder(record).flatMap(timelineEntry),
    calls: recordedCalls(record).map((call, index) => ({
      callId: call.callId,
      ordinal: index + 1,
      session: nameOf(call.conversationId),
      turnId: call.turnId,
      tool: call.tool,
      input: call.started?.arguments.command ?? "",
      ...endFields(call, facts),
      ...(call.started === undefined ? { inputUnreadable: true as const } : {})
    })),
    pending: [],
    asyncBash: [],
    actionOffers: [],
    ...(unreadable.length === 0 ? {} : { unreadable })
  }
}

/** Absolute folder of a call's files. */
export const callFolderPath = (home: string, conversationId: ConversationId, callId: CallId): string =>
  `${home}/${callFolder(conversationId, callId)}`
