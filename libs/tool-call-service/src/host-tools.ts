/**
 * Port that runs tools.
 *
 * Owns: the shapes tool-call-service asks for: a call, a running tool, its end.
 * Never owns: processes, files; the composition layer joins those libraries here.
 * Ordering: every call of a message enters, in content order, before any of them starts.
 */
import type {
  CallArguments,
  CallId,
  CallOrigin,
  CallReason,
  CaptureFacts,
  CaptureFileFacts,
  CaptureStream,
  ConversationId,
  ProcessIdentity,
  Quiet,
  RetainedOutput,
  RunId,
  Survivor,
  TurnId
} from "@steno/contracts"
import { Context, type Effect, Schema, type Scope, type Stream } from "effect"
import type { EndedCall, ResultNotPrepared } from "./result-preparation.ts"

/** A call as supervision, tools and handlers are given it. */
export interface HostCall {
  readonly callId: CallId
  readonly runId: RunId
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly tool: string
  readonly origin: CallOrigin
  /** The Run's Workspace, absolute. */
  readonly workspace: string
  /** A direct command's are `CommandArguments`; all others fit their tool as `CallSupervision.check` said. */
  readonly arguments: CallArguments
}

/** What a tool left on disk. */
export interface ToolFiles {
  readonly facts: CaptureFacts
  readonly files: ReadonlyArray<{
    readonly stream: CaptureStream
    /** File name inside the call's folder. */
    readonly name: string
    readonly digest: string
    readonly sizeBytes: number
    readonly facts: CaptureFileFacts
  }>
  /** Name of the file that serves as combined output; absent when there is none. */
  readonly outputFile: string | undefined
  /** The end of the output that no file took, and how many bytes between the file and it are nowhere. */
  readonly unstored?: { readonly bytes: Uint8Array; readonly lostBytes: number }
  readonly retained: RetainedOutput
  readonly warnings: ReadonlyArray<CallReason>
}

/** The end of a tool that is a process. */
export interface ProcessEnd {
  readonly kind: "process"
  /** Absent: no status was collected. */
  readonly exit: { readonly kind: "exited"; readonly code: number } | { readonly kind: "signalled"; readonly signal: string } | undefined
  readonly timedOut: boolean
  /** Present exactly when our stop, on request or at the limit, met the running tool; a tool that had ended by then has its own end. */
  readonly stopped: "confirmed" | "unconfirmed" | undefined
  readonly survivors: ReadonlyArray<Survivor>
  readonly durationMs: number
  readonly captured: ToolFiles
}

/** The end of a tool that runs inside this process. */
export type InProcessEnd =
  & { readonly durationMs: number }
  & (
    /** The whole result, as `ResultPreparation` takes it. */
    | { readonly kind: "result"; readonly value: unknown }
    | { readonly kind: "fault"; readonly reason: CallReason }
    /** It heeded the stop and had no effect after it. */
    | { readonly kind: "aborted" }
  )

export type ToolEnd = ProcessEnd | InProcessEnd

export interface RunningTool {
  /** Absent for a tool without a process, and when the process was gone before it could be identified. */
  readonly process: ProcessIdentity | undefined
  /** Live: once per silence that is worth telling; ends with the tool. */
  readonly quiet: Stream.Stream<Quiet>
  /** Resolves once, when the tool has ended and its files are closed. */
  readonly ended: Effect.Effect<ToolEnd>
  /** Asks the tool to end; `ended` tells what is confirmed. `grace: false` kills at once. */
  readonly stop: (options: { readonly grace: boolean }) => Effect.Effect<void>
  /** Whether it ended before any stop: `ended` will tell its own end, however long its files take. */
  readonly endedByItself: () => boolean
  /** Bytes that its files take by now. */
  readonly storedBytes: () => number
  /** The end of what it has printed by now, at most `retainedOutputUnits`. */
  readonly output: () => RetainedOutput
}

/** The tool did not start; nothing ran. */
export class ToolDidNotStart extends Schema.TaggedError<ToolDidNotStart>()("ToolDidNotStart", {
  code: Schema.String,
  explanation: Schema.String
}) {
  override get message() {
    return this.explanation
  }
}

/** A call that has its place among the calls of its message. */
export interface EnteredCall {
  /** Resolves when every earlier call that this one must not overtake is over; absent: it waits for none. */
  readonly turn?: Effect.Effect<void>
  /**
   * Starts the tool, once. `judgedPaths`: the resolved paths that supervision judged, the only ones the tool may use; absent
   * for a direct command.
   */
  readonly start: (
    judged: { readonly judgedPaths?: ReadonlyArray<string> }
  ) => Effect.Effect<RunningTool, ToolDidNotStart>
}

/** What a dead owner's call left. */
export interface AbandonedTool {
  /** Absent for a tool without a process. */
  readonly captured?: ToolFiles
  /** Processes of the call that were still running and were ended. */
  readonly ended: ReadonlyArray<Survivor>
  /** Processes that could not be ended. */
  readonly left: ReadonlyArray<Survivor>
}

export class HostTools extends Context.Service<HostTools, {
  /**
   * Takes the call's place without waiting for it; the place goes with the scope, used or not. Nothing starts. A way to its
   * files that cannot be looked at is told by `start`.
   */
  readonly enter: (call: HostCall) => Effect.Effect<EnteredCall, never, Scope.Scope>
  /**
   * Ends, with SIGKILL, the verified processes of a call whose owner is gone, closes its files and removes what its tool left beside
   * those it was changing.
   */
  readonly recover: (call: EndedCall & { readonly process: ProcessIdentity | undefined }) => Effect.Effect<AbandonedTool, ResultNotPrepared>
}>()("@steno/tool-call-service/HostTools") {}
