/** What the conformance suite needs of a harness that it tests. */
import type { Effect, Scope } from "effect"
import type { Harness, TurnRequest } from "../harness.ts"
import type { HarnessProfile } from "../harness-profile.ts"
import type { ScenarioName } from "./conformance-scenarios.ts"
import type { RecordingAnswers } from "./recording-turn-host.ts"

export interface ConformanceSubject {
  readonly harness: Harness
  /** Inputs that reached the program, in order. */
  readonly inputs: () => ReadonlyArray<string>
  /** How the program was answered, approvals in the order they were raised: `cancelled` is the form for one that expired. */
  readonly approvals: () => ReadonlyArray<"allowed" | "denied" | "cancelled">
  /** Resolves when all that the scenario has for the Turns so far was written by the program and read. */
  readonly played: Effect.Effect<void>
  /** Processes of the harness that live. */
  readonly running: Effect.Effect<number>
  /** Native ids of the scenario, none of which may show above the Seam. */
  readonly nativeIds: ReadonlyArray<string>
  /** Of a loop: what the host answers it in one Turn, its context above all. */
  readonly answers?: (request: TurnRequest) => RecordingAnswers
}

export interface HarnessMaker {
  /** That of a prepared harness. */
  readonly profile: HarnessProfile
  /** Optional scenarios that this protocol has. */
  readonly optional: ReadonlyArray<ScenarioName>
  /** True only: a loop of ours. It proposes its messages, and its calls are run by the host. */
  readonly loop?: true
  /** A harness, not prepared, whose program will play `scenario`. */
  readonly make: (scenario: ScenarioName) => Effect.Effect<ConformanceSubject, never, Scope.Scope>
}
