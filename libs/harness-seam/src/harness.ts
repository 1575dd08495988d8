/**
 * The Harness Seam: what drives a Turn, behind one interface.
 *
 * Owns: the shape of a harness, a prepared harness and a Turn's handle.
 * Ordering: prepare → startTurn, one after the other → close.
 * Limits: what happens in operation is a value. Defects (`SeamMisuse`): a second live Turn, a Turn after `close`, more
 * Turns than the harness can serve.
 */
import type { HarnessName, TurnId, TurnOrigin } from "@steno/contracts"
import type { Effect } from "effect"
import type { ControlReceipt, ModelChoice, Steer } from "./control-receipt.ts"
import type { SeamDiagnostic } from "./diagnostics.ts"
import type { PrepareError } from "./prepare-errors.ts"
import type { HarnessProfile } from "./harness-profile.ts"
import type { TurnEvent } from "./turn-event.ts"
import type { TurnHost } from "./turn-host.ts"
import type { TurnResult } from "./turn-result.ts"

/** A server of the Model Context Protocol over stdio that the harness starts for its Agent calls. */
export interface AgentCallServer {
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
}

export interface PrepareOptions {
  /** Absolute, existing folder. */
  readonly workspace: string
  /** The person's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The Turn it is prepared for; marks every process that is started. */
  readonly turnId: TurnId
  readonly model?: ModelChoice
  /** Of the native session to reattach to. It is reached, or no Turn starts: never silently a new one. */
  readonly coordinate?: string
  readonly agentCallServer?: AgentCallServer
  /** Texts that Steno minted, to be redacted wherever the harness repeats them; at least 8 UTF-16 units each. */
  readonly secrets: ReadonlyArray<string>
}

export interface TurnRequest {
  readonly turnId: TurnId
  readonly sessionName: string
  readonly origin: TurnOrigin
  /** Final text. */
  readonly input: string
  readonly coordinate?: string
  readonly model?: ModelChoice
  /**
   * A suspended hosted Turn goes on; nothing is sent twice. A number that no earlier start of this Turn had: it keeps item
   * ids apart.
   */
  readonly continues?: number
}

export interface TurnHandle {
  /**
   * Calls `observer` with all retained events in order before it returns, then with each event as it happens, until the
   * seal. `observer` must not wait; one that throws is let go. The answer ends the subscription. Idempotent.
   */
  readonly subscribe: (observer: (event: TurnEvent) => void) => () => void
  /** Resolves once, after the last event; always with the same value. */
  readonly result: Effect.Effect<TurnResult>
  /** Exactly one `steer` event follows each accepted one, perhaps before its receipt. The same id gets the same receipt. */
  readonly steer: (steer: Steer) => Effect.Effect<ControlReceipt>
  readonly interrupt: Effect.Effect<ControlReceipt>
  readonly changeModel: (choice: ModelChoice) => Effect.Effect<ControlReceipt>
}

export interface CloseReport {
  /** Absent where no process was started or nobody collected its status. */
  readonly exit?: { readonly code: number } | { readonly signal: string }
  /** Processes that could not be ended, with at most 200 characters of their command. */
  readonly survivors: ReadonlyArray<{ readonly pid: number; readonly command: string }>
  readonly diagnostics: ReadonlyArray<SeamDiagnostic>
  /** The end of stderr. */
  readonly stderrTail?: string
}

export interface PreparedHarness {
  readonly harness: HarnessName
  readonly profile: HarnessProfile
  /** Resolves at once, before the harness accepted anything. */
  readonly startTurn: (request: TurnRequest, host: TurnHost) => Effect.Effect<TurnHandle>
  /** Resolves when the process tree is gone or its survivors are known. A live Turn is ended first. Idempotent: the same report. */
  readonly close: Effect.Effect<CloseReport>
}

export interface Harness {
  readonly id: string
  readonly name: string
  /** What is claimed before a program was looked at; a prepared harness has its own. */
  readonly profile: HarnessProfile
  /** Resolves when the program has answered its handshake. Sends no content. Interruptible: nothing is left running. */
  readonly prepare: (options: PrepareOptions) => Effect.Effect<PreparedHarness, PrepareError>
}
