/**
 * The steps a scripted Turn is made of.
 *
 * Owns: what a script can say. Items are named by the script; their ids are minted by the producer like any other's.
 */
import type { Schema } from "effect"
import type { ControlReceipt } from "../control-receipt.ts"
import type { ItemId } from "../item-id.ts"
import type { SteerDelivery } from "../turn-event.ts"
import type { AgentCall, HarnessRequest, ProposedMessage } from "../turn-host.ts"
import type { TurnReport } from "../turn-report.ts"
import type { TurnResult } from "../turn-result.ts"

/** The id of the item that the script calls `name`. */
export type NamedItem = (name: string) => ItemId

export type FakeStep =
  | { readonly do: "report"; readonly report: (item: NamedItem) => TurnReport }
  /** Raised and left open; its answer is kept under `name`. */
  | { readonly do: "request"; readonly name: string; readonly request: (item: NamedItem) => HarnessRequest }
  | { readonly do: "agent-call"; readonly name: string; readonly call: AgentCall }
  | {
    readonly do: "execute"
    readonly name: string
    readonly tool: string
    readonly input: Schema.Json
    readonly item?: string
  }
  /** Waits for the answer of the request, Agent call or execution called `name`. */
  | { readonly do: "await"; readonly name: string }
  /** Waits until its calls are settled; a refusal fails the Turn. */
  | { readonly do: "propose"; readonly message: (item: NamedItem) => ProposedMessage }
  | { readonly do: "context" }
  | { readonly do: "checkpoint"; readonly coordinate: string }
  /** Waits until the test opens the gate; open ones stay open. */
  | { readonly do: "gate"; readonly name: string }
  /** Waits for a Steer that was taken, in order. Without `delivery` it is only taken. */
  | { readonly do: "steer"; readonly delivery?: SteerDelivery }
  | { readonly do: "interrupted" }
  /** Settles the Turn; what follows comes late. */
  | { readonly do: "end"; readonly result: TurnResult }
  /** The program is gone; the Turn does not notice by itself. */
  | { readonly do: "program-ends" }
  /** A defect of the adapter. */
  | { readonly do: "fault" }

export interface FakeTurn {
  /** Without an `end` the Turn completes after the last one. */
  readonly steps: ReadonlyArray<FakeStep>
  /** Given with the admission. */
  readonly coordinate?: string
  /** What the program says to a Steer; the default takes it. */
  readonly steerReceipt?: ControlReceipt
  readonly interruptReceipt?: ControlReceipt
  /** The program cannot reach the native session that it was asked to resume. */
  readonly refusesResume?: true
}

export const report = (make: (item: NamedItem) => TurnReport): FakeStep => ({ do: "report", report: make })
export const end = (result: TurnResult): FakeStep => ({ do: "end", result })
export const completed: TurnResult = { kind: "completed", availability: "open" }
