/**
 * Ports that run a tool and prepare its result.
 *
 * Owns: the shapes tool-call-service asks for.
 * Never owns: processes, files, projections; the composition layer joins those libraries here.
 */
import type {
  Asset,
  CallId,
  CallReason,
  CaptureFacts,
  CaptureFileFacts,
  CaptureStream,
  CardProjection,
  CommandArguments,
  ConversationId,
  ProcessIdentity,
  Quiet,
  RetainedOutput,
  Survivor
} from "@steno/contracts"
import { Context, type Effect, Schema, type Stream } from "effect"
import type { CallOrigin } from "@steno/contracts"
import type { DecidedEnd } from "./call-rules.ts"

/** The call a host tool is started for. */
export interface HostCall {
  readonly callId: CallId
  readonly conversationId: ConversationId
  readonly tool: string
  readonly origin: CallOrigin
  readonly arguments: CommandArguments
}

/** A call whose result is prepared; without arguments where those it was started with cannot be read any more. */
export type EndedCall = Omit<HostCall, "arguments"> & Partial<Pick<HostCall, "arguments">>

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

export interface ToolEnd {
  /** Absent: no status was collected. */
  readonly exit: { readonly kind: "exited"; readonly code: number } | { readonly kind: "signalled"; readonly signal: string } | undefined
  readonly timedOut: boolean
  /** Present exactly when our stop, on request or at the limit, met the running tool; a tool that had ended by then has its own end. */
  readonly stopped: "confirmed" | "unconfirmed" | undefined
  readonly survivors: ReadonlyArray<Survivor>
  readonly durationMs: number
  readonly captured: ToolFiles
}

export interface RunningTool {
  /** Absent when the process was gone before it could be identified. */
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

/** What a dead owner's call left. */
export interface AbandonedTool {
  readonly captured: ToolFiles
  /** Processes of the call that were still running and were ended. */
  readonly ended: ReadonlyArray<Survivor>
  /** Processes that could not be ended. */
  readonly left: ReadonlyArray<Survivor>
}

export class HostTools extends Context.Service<HostTools, {
  readonly start: (call: HostCall) => Effect.Effect<RunningTool, ToolDidNotStart>
  /** Ends, with SIGKILL, the verified processes of a call whose owner is gone and closes its files. */
  readonly recover: (
    call: Pick<HostCall, "callId" | "conversationId"> & { readonly process: ProcessIdentity | undefined }
  ) => Effect.Effect<AbandonedTool, ResultNotPrepared>
}>()("@steno/tool-call-service/HostTools") {}

export interface PreparedResult {
  readonly agentProjection: string
  readonly cardProjection: CardProjection
  readonly assets: ReadonlyArray<Asset>
}

/** Projections or asset facts could not be made; the call settles without them. */
export class ResultNotPrepared extends Schema.TaggedError<ResultNotPrepared>()("ResultNotPrepared", {
  explanation: Schema.String
}) {
  override get message() {
    return this.explanation
  }
}

export class ResultPreparation extends Context.Service<ResultPreparation, {
  readonly prepare: (
    call: EndedCall,
    result: {
      readonly end: DecidedEnd
      readonly captured: ToolFiles
      readonly survivors: ReadonlyArray<Survivor>
      readonly warnings: ReadonlyArray<CallReason>
      readonly durationMs: number | undefined
    }
  ) => Effect.Effect<PreparedResult, ResultNotPrepared>
}>()("@steno/tool-call-service/ResultPreparation") {}
