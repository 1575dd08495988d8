/** Steno's libraries on a fresh home, for one benchmark. */
import type { StartInput } from "@steno/contracts"
import { IdMinter, type RunId } from "@steno/contracts"
import { type Fence, RunLedger } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import { openHome } from "@steno/runtime"
import { coreLayer } from "@steno/runtime/core"
import { DateTime, Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const makeHome = (): string => mkdtempSync(join(tmpdir(), "steno-bench-"))
export const removeHome = (home: string) => rmSync(home, { recursive: true, force: true })

/** Everything below the application, on `home`. */
export const coreOn = (home: string) =>
  Layer.unwrap(Effect.map(openHome(home, "write"), (opened) => coreLayer({ home: opened, environment: process.env })))

/** Admits a Run whose calls the benchmark makes itself. */
export const admitRun = Effect.gen(function*() {
  const runs = yield* RunLedger
  const host = yield* ProcessHost
  const ids = yield* IdMinter
  const input: StartInput = {
    operation: "start",
    workspace: process.cwd(),
    harness: "command",
    session: "main",
    input: "true",
    kind: "once"
  }
  const runId: RunId = yield* ids.mint("run")
  const conversationId = yield* ids.mint("conv")
  const turnId = yield* ids.mint("turn")
  const { epoch } = yield* runs.admitRun({
    operationId: yield* ids.mint("op"),
    input,
    runId,
    conversationId,
    turnId,
    owner: yield* host.self,
    admitted: { input: "true", origin: "user", harness: { id: "command" } },
    at: DateTime.formatIso(yield* DateTime.now)
  })
  const fence: Fence = { runId, epoch }
  return { fence, conversationId, turnId }
})
