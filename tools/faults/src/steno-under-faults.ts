/** The steno command line whose file and ledger writes fail where the plan says so. */
import { stenoProgram } from "@steno/cli/program"
import { Failpoint } from "@steno/ledger"
import Database from "better-sqlite3"
import { Effect } from "effect"
import type { FaultCode } from "./fault-plan.ts"
// Not bundled: the module that was loaded before this program, as seen from the bundle's folder.
import { injector } from "../src/file-faults.ts"

const sqliteCodes: Readonly<Record<FaultCode, string>> = {
  EIO: "SQLITE_IOERR_WRITE",
  ENOSPC: "SQLITE_FULL",
  EACCES: "SQLITE_READONLY"
}

const failAtPoint = (point: string) => {
  const code = injector.reach("record", point)
  if (code !== undefined) throw new Database.SqliteError("a fault of this test", sqliteCodes[code])
}

const code = await Effect.runPromise(
  stenoProgram(process.argv.slice(2), { admittedRun: () => Effect.void }).pipe(Effect.provideService(Failpoint, failAtPoint))
)
process.exit(code)
