/**
 * What each tool is asked and what it returns, before anything is shortened.
 *
 * Owns: the arguments and result of every tool whose result is a value.
 * Never owns: argument schemas as a model sees them (tool-catalog), the output of processes (process-capture).
 * Limits: a projection reads these fields and no others; tools return facts and never shorten.
 */
import type { ImageReference } from "@steno/contracts"

export interface ReadArguments {
  readonly path: string
  readonly offset?: number
  readonly limit?: number
}

export type ReadResult =
  | {
    readonly kind: "text"
    /** Whole lines of the file. */
    readonly content: string
    /** 1-based line of the file that `content` begins with. */
    readonly firstLine: number
    /** Lines of the whole file. */
    readonly totalLines: number
    /** Where the tool itself would go on; absent at the end of the file. */
    readonly nextLine?: number
    /** Instead of lines, when the content is a piece of a line. `to` is exclusive; offsets from 0. */
    readonly bytes?: { readonly from: number; readonly to: number; readonly total: number }
    /** What the content does not show of the file: its encoding, bytes that were no text. */
    readonly notes?: ReadonlyArray<string>
  }
  | { readonly kind: "image"; readonly image: ImageReference }

export interface GrepArguments {
  readonly pattern: string
  readonly path?: string
  readonly glob?: string
  readonly literal?: boolean
  readonly ignoreCase?: boolean
  readonly context?: number
  readonly limit?: number
}

export interface GrepMatch {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly text: string
  /** Lines around it, nearest last and nearest first. */
  readonly before?: ReadonlyArray<string>
  readonly after?: ReadonlyArray<string>
}

export interface GrepResult {
  readonly matches: ReadonlyArray<GrepMatch>
  /** All matches, where the search counted on; absent when it stopped. */
  readonly total?: number
  /** The search's own limit, when it was reached. */
  readonly limitReached?: number
  /** What could not be searched, and why. */
  readonly warnings?: ReadonlyArray<string>
}

export interface FindArguments {
  readonly pattern: string
  readonly path?: string
  readonly limit?: number
}

export interface LsArguments {
  readonly path?: string
  readonly limit?: number
}

export interface ListedPath {
  /** Relative to the root. */
  readonly path: string
  readonly kind: "file" | "directory" | "link" | "other"
  /** Of a file, where the tool looked. */
  readonly sizeBytes?: number
}

export interface ListingResult {
  readonly root: string
  readonly paths: ReadonlyArray<ListedPath>
  readonly total?: number
  readonly limitReached?: number
  /** What could not be looked into, and why. */
  readonly warnings?: ReadonlyArray<string>
}

export interface WriteArguments {
  readonly path: string
  readonly content: string
}

export interface EditArguments {
  readonly path: string
  readonly edits: ReadonlyArray<{ readonly oldText: string; readonly newText: string }>
  readonly dryRun?: boolean
}

export interface MutationResult {
  readonly path: string
  readonly outcome: "done" | "partial" | "dry-run"
  readonly bytesWritten: number
  /** Whether a file stood there before; absent where that goes without saying. */
  readonly file?: "created" | "overwritten"
  /** How many edits were applied; absent for `write`. */
  readonly operations?: number
  /** 1-based. */
  readonly firstChangedLine?: number
  readonly warnings: ReadonlyArray<string>
  readonly nextAction?: string
  /** Unified; for cards and the Turn diff, never for a model. */
  readonly diff?: string
}

export type Readiness = "ready" | "timed_out" | "exited"

export interface AsyncBashArguments {
  readonly action: "start" | "status" | "logs" | "stop"
  readonly id?: string
  readonly command?: string
  readonly cwd?: string
}

export interface LifecycleEntry {
  readonly id: string
  /** Of a process. */
  readonly command?: string
  /** Of a sub-agent. */
  readonly label?: string
  readonly status: string
  readonly readiness?: Readiness
  readonly exitCode?: number
  readonly signal?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly fault?: string
}

export interface LifecycleResult {
  readonly kind: "state"
  readonly action: "start" | "status" | "stop"
  readonly entries: ReadonlyArray<LifecycleEntry>
  /** `stop` met something that had ended before. */
  readonly alreadyTerminal?: true
}

export interface LogPage {
  readonly kind: "logs"
  readonly id: string
  readonly status: string
  readonly exitCode?: number
  readonly signal?: string
  readonly stream: "output" | "stdout" | "stderr"
  readonly totalLines: number
  readonly totalBytes: number
  /** 0-based; `endOffset` is exclusive. */
  readonly offset: number
  readonly endOffset: number
  readonly nextOffset?: number
  readonly complete: boolean
  readonly lines: ReadonlyArray<string>
  readonly captureTruncated?: { readonly droppedBytes: number }
  /** Absolute; present when the page is not the whole output. */
  readonly path?: string
}

export interface AskUserArguments {
  readonly questions: ReadonlyArray<{
    readonly id: string
    readonly prompt: string
    readonly header?: string
    readonly options: ReadonlyArray<{ readonly label: string; readonly description?: string }>
    /** Several options may be chosen. */
    readonly multiSelect?: boolean
    /** The answer may be a text. */
    readonly allowText?: boolean
  }>
}

export type AskUserResult =
  | { readonly dismissed: true }
  | {
    readonly answers: ReadonlyArray<{
      /** The question's header, else its id. */
      readonly key: string
      readonly options: ReadonlyArray<string>
      readonly text?: string
    }>
  }

export interface ExploreArguments {
  readonly prompts: ReadonlyArray<{ readonly label: string; readonly prompt: string }>
}

export interface ExploreResult {
  readonly reports: ReadonlyArray<{
    readonly conversationId: string
    readonly label: string
    readonly status: string
    readonly report: string
    /** Absolute path of the report's file; shown only if that file is registered. */
    readonly path?: string
  }>
}

export interface AgentArguments {
  readonly action: "start" | "status" | "stop"
  readonly id?: string
  readonly label?: string
  readonly prompt?: string
}

export interface AgentControlArguments {
  readonly reason: string
}

export interface AgentControlResult {
  readonly reply: "accepted" | "held" | "refused"
  readonly reason?: string
}

/** Tools whose result is a value, with what they are asked and what they return. `bash` is the one whose result is output. */
export interface ToolValues {
  readonly read: { readonly arguments: ReadArguments; readonly result: ReadResult }
  readonly grep: { readonly arguments: GrepArguments; readonly result: GrepResult }
  readonly find: { readonly arguments: FindArguments; readonly result: ListingResult }
  readonly ls: { readonly arguments: LsArguments; readonly result: ListingResult }
  readonly write: { readonly arguments: WriteArguments; readonly result: MutationResult }
  readonly edit: { readonly arguments: EditArguments; readonly result: MutationResult }
  readonly async_bash: { readonly arguments: AsyncBashArguments; readonly result: LifecycleResult | LogPage }
  readonly ask_user: { readonly arguments: AskUserArguments; readonly result: AskUserResult }
  readonly explore: { readonly arguments: ExploreArguments; readonly result: ExploreResult }
  readonly agent: { readonly arguments: AgentArguments; readonly result: LifecycleResult }
  readonly run_done: { readonly arguments: AgentControlArguments; readonly result: AgentControlResult }
  readonly run_failed: { readonly arguments: AgentControlArguments; readonly result: AgentControlResult }
}

export type ValueTool = keyof ToolValues
