import { assert, describe, it } from "@effect/vitest"
import { toPortProblem } from "@steno/application/problems"
import type { HomeConfig } from "@steno/contracts"
import { IdMinter } from "@steno/contracts"
import { type Fence, RunLedger } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import { ToolCallService } from "@steno/tool-call-service"
import { DateTime, Effect, Layer } from "effect"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openHome } from "./home.ts"
import { coreLayer } from "./runtime-layer.ts"
import { temporaryFolder } from "./testing.ts"

/** A home with these limits, without its application: several calls of one Session. */
const onCore = <A, E>(
  config: HomeConfig,
  test: (places: { readonly home: string; readonly workspace: string }) => Effect.Effect<A, E, ToolCallService | RunLedger | ProcessHost>
) =>
  Effect.scoped(Effect.gen(function*() {
    const home = yield* temporaryFolder
    const workspace = yield* temporaryFolder
    const core = Layer.unwrap(Effect.map(openHome(home, "write"), (opened) => coreLayer({ home: opened, config, environment: process.env })))
    return yield* test({ home, workspace }).pipe(Effect.provide(core))
  }))

const admitRun = Effect.fnUntraced(function*(workspace: string) {
  const runs = yield* RunLedger
  const ids = yield* IdMinter
  const [runId, conversationId, turnId] = [yield* ids.mint("run"), yield* ids.mint("conv"), yield* ids.mint("turn")]
  const { epoch } = yield* runs.admitRun({
    operationId: yield* ids.mint("op"),
    input: { operation: "start", workspace, harness: "command", session: "main", input: "true", kind: "once" },
    runId,
    conversationId,
    turnId,
    owner: yield* Effect.flatMap(ProcessHost, (host) => host.self),
    admitted: { input: "true", origin: "user", harness: { id: "command" } },
    at: DateTime.formatIso(yield* DateTime.now)
  })
  const fence: Fence = { runId, epoch }
  const run = (command: string) =>
    Effect.flatMap(ToolCallService, (calls) =>
      calls.runDirectCommand({ fence, conversationId, turnId, workspace, arguments: { command, cwd: workspace } }))
  const record = Effect.flatMap(RunLedger, (ledger) => ledger.readRun(runId))
  return { conversationId, record, run }
})

describe("a Session above its quota", () => {
  it.live("starts no further call, says which limit that is, and is told so as a Problem; another Session goes on", () =>
    onCore({ sessionQuotaBytes: 100_000, minFreeBytes: 0 }, ({ home, workspace }) =>
      Effect.gen(function*() {
        const { conversationId, record, run } = yield* admitRun(workspace)
        const within = yield* (yield* run("head -c 100000 /dev/zero")).settled
        const above = yield* (yield* run("echo more")).settled
        assert.deepStrictEqual([within.exitCode, above.exitCode], [0, 0])
        const before = yield* record
        const refused = yield* Effect.flip(run("touch started"))
        const folder = join(home, "data", "conversations", conversationId)
        const { problem } = toPortProblem(refused)
        assert.strictEqual(problem.code, "storage-low")
        const { freeBytes, ...details } = problem.details ?? {}
        assert.deepStrictEqual(details, { path: folder, usedBytes: 100_005, limitBytes: 100_000, setting: "sessionQuotaBytes" })
        assert.isAbove(Number(freeBytes), 0)
        for (const said of [folder, "100005", "100000", "sessionQuotaBytes"]) assert.include(problem.explanation, said)
        assert.include(problem.remediation, "sessionQuotaBytes")
        assert.deepStrictEqual(yield* record, before)
        assert.isFalse(existsSync(join(workspace, "started")))
        assert.strictEqual(readdirSync(join(folder, "tool-calls")).length, 2)
        const other = yield* admitRun(workspace)
        assert.strictEqual((yield* (yield* other.run("exit 4")).settled).exitCode, 4)
      })))

  it.live("lets the call run on that has filled it, and keeps all of its output", () =>
    onCore({ sessionQuotaBytes: 100_000, minFreeBytes: 0 }, ({ workspace }) =>
      Effect.gen(function*() {
        const calls = yield* ToolCallService
        const { conversationId, record, run } = yield* admitRun(workspace)
        const filling = yield* run("mkfifo more; head -c 150000 /dev/zero; read -r go < more; head -c 50000 /dev/zero; exit 6")
        yield* Effect.eventually(Effect.flip(calls.checkSpace(conversationId)))
        const refused = yield* Effect.flip(run("touch started"))
        assert.strictEqual(refused.reason._tag, "StorageLow")
        writeFileSync(join(workspace, "more"), "go\n")
        const settled = yield* filling.settled
        assert.deepStrictEqual([settled.outcome, settled.exitCode, settled.capture?.output.storedBytes], ["completed", 6, 200_000])
        assert.deepStrictEqual((yield* record)?.assets.map((asset) => asset.sizeBytes), [200_000])
        assert.isFalse(existsSync(join(workspace, "started")))
      })))
})

describe("a file system below the floor of free space", () => {
  it.live("starts no call of a Session that runs one, and names the setting", () =>
    onCore({ minFreeBytes: Number.MAX_SAFE_INTEGER }, ({ home, workspace }) =>
      Effect.gen(function*() {
        const { record, run } = yield* admitRun(workspace)
        const { problem } = toPortProblem(yield* Effect.flip(run("touch started")))
        assert.strictEqual(problem.code, "storage-low")
        assert.strictEqual(problem.details?.["path"], join(home, "data"))
        assert.strictEqual(problem.details?.["setting"], "minFreeBytes")
        assert.include(problem.explanation, `${String(problem.details?.["freeBytes"])} bytes free`)
        assert.deepStrictEqual((yield* record)?.events.map((event) => event.type), ["turn-admitted"])
      })))
})
