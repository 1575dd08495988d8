/** What `doctor` and `gc` ask of a home. */
import type { DoctorDocument, GcDocument } from "@steno/contracts"
import type { PortProblem } from "@steno/projection-port"
import { Context, type Effect } from "effect"

export interface GcOptions {
  /** Absent: the home's own retention setting. */
  readonly olderThanMs?: number
  /** Nothing is removed; the answer says what would be. */
  readonly dryRun: boolean
}

export class Maintenance extends Context.Service<Maintenance, {
  /** Examines the home and changes nothing. A fault that was found is a finding, not a failure. */
  readonly doctor: Effect.Effect<DoctorDocument, PortProblem>
  /** Removes old Runs and files without rows. */
  readonly gc: (options: GcOptions) => Effect.Effect<GcDocument, PortProblem>
}>()("@steno/runtime/Maintenance") {}
