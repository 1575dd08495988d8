/** What `doctor` and `gc` ask of a home, and the repair of its database. */
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
  /**
   * Repairs the database where it is damaged, then examines the home; a sound one is left as it is. Nobody else may have it open.
   * What is lost is found as an error, by Run and Session. Fails with `storage-busy`, `home-newer` or a storage Problem; the
   * database is the one that was found then.
   */
  readonly repair: Effect.Effect<DoctorDocument, PortProblem>
  /** Removes old Runs and files without rows. */
  readonly gc: (options: GcOptions) => Effect.Effect<GcDocument, PortProblem>
}>()("@steno/runtime/Maintenance") {}
