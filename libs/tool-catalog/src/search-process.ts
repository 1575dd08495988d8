/**
 * Runs the search program: a port, provided by the composition layer, because this library starts no process.
 *
 * Limits: an interrupted run is ended, as one whose reader has enough.
 */
import { Context, type Effect, Schema } from "effect"
import type { CallId, ConversationId } from "@steno/contracts"

export interface SearchCommand {
  readonly callId: CallId
  readonly conversationId: ConversationId
  /** Absolute path of the program. */
  readonly program: string
  /** Reach the program as they are; no shell reads them. */
  readonly arguments: ReadonlyArray<string>
  /** Absolute folder. */
  readonly cwd: string
}

export interface SearchEnd {
  /** Absent: ended by a signal, ours included. */
  readonly exitCode: number | undefined
  /** At least the first 64 KiB. */
  readonly stderr: string
}

/** Nothing runs. */
export class SearchNotRun extends Schema.TaggedError<SearchNotRun>()("SearchNotRun", { explanation: Schema.String }) {
  override get message() {
    return this.explanation
  }
}

export class SearchProcess extends Context.Service<SearchProcess, {
  /**
   * Standard input is empty, the environment that of commands. `take` gets every block of standard output in order, valid during
   * the call only, and answers whether it wants more; after `false` the program is ended and `take` is not called again. Resolves
   * when the program is gone and its output was taken.
   */
  readonly run: (command: SearchCommand, take: (block: Uint8Array) => boolean) => Effect.Effect<SearchEnd, SearchNotRun>
}>()("@steno/tool-catalog/SearchProcess") {}
