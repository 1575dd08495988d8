import { describe, expect, it } from "@effect/vitest"
import { ProjectionPort } from "@steno/projection-port"
import { makeHarnessProfile, type PreparedHarness, type PrepareOptions } from "@steno/harness-seam"
import { prepareOptions } from "@steno/harness-seam/testing"
import { ProcessHost } from "@steno/process-host"
import { Effect, Exit, Scope } from "effect"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beginPreparing, headStart, type WantedStart } from "./head-start.ts"
import { startLayer } from "./home-layers.ts"
import { openHome } from "./home.ts"
import { startInput, temporaryFolder } from "./testing.ts"

/** An agent of the Agent Client Protocol that says one sentence; it notes its processes and the Turn each is marked with. */
const agent = (notes: string) => `#!${process.execPath}
const { appendFileSync } = require("node:fs")
appendFileSync(${JSON.stringify(notes)}, process.pid + " " + process.env.STENO_TURN_ID + "\\n")
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n")
const update = (text) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } } }) + "\\n")
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line)
  if (method === "initialize") answer(id, { protocolVersion: 1, agentCapabilities: {} })
  else if (method === "session/new") answer(id, { sessionId: "s" })
  else if (method === "session/prompt") { update("Good morning."); answer(id, { stopReason: "end_turn" }) }
}).on("close", () => process.exit(0))
`

const placed = Effect.gen(function*() {
  const path = yield* temporaryFolder
  const programs = yield* temporaryFolder
  const workspace = yield* temporaryFolder
  const program = join(programs, "mine")
  const notes = join(programs, "notes")
  writeFileSync(program, agent(notes))
  chmodSync(program, 0o755)
  const options = {
    home: yield* openHome(path, "write"),
    config: { defaultHarness: "mine", harnesses: { mine: { command: [program] as const } } },
    environment: { PATH: "/usr/bin:/bin" }
  }
  const wanted: WantedStart = {
    workspace,
    harness: undefined,
    model: undefined,
    effort: undefined,
    approvals: undefined,
    agentCalls: undefined,
    operationId: undefined
  }
  /** Each process that was started, and its Turn. */
  const started = () =>
    existsSync(notes)
      ? readFileSync(notes, "utf8").trim().split("\n").map((line) => line.split(" ")).map(([pid = "", turnId = ""]) => ({ pid, turnId }))
      : []
  const begin = (more: Partial<WantedStart> = {}) => Effect.provide(headStart(options, { ...wanted, ...more }), ProcessHost.layer)
  return { begin, options, path, programs, started, wanted, workspace }
})

type Agents = Effect.Success<ReturnType<Effect.Success<typeof placed>["begin"]>>

const prepare = ({ entries }: Agents, asked: PrepareOptions) => {
  const mine = entries.find(({ id }) => id === "mine")
  return mine === undefined ? Effect.die("no agent") : mine.harness.prepare(asked)
}

const running = ({ pid }: { readonly pid: string }) => existsSync(`/proc/${pid}`)

/** A harness that is ready at once, and how many of those it prepared are closed. */
const readyHarness = () => {
  const closed: Array<number> = []
  let prepared = 0
  const prepare = () =>
    Effect.sync((): PreparedHarness => {
      const number = ++prepared
      return {
        harness: { id: "ready", name: "Ready" },
        profile: makeHarnessProfile([]),
        startTurn: () => Effect.die("plays no Turn"),
        close: Effect.sync(() => {
          closed.push(number)
          return { survivors: [], diagnostics: [] }
        })
      }
    })
  return { prepare, closed }
}

describe("a preparation that is ready", () => {
  it.effect("is closed with its scope where nobody took it", () =>
    Effect.gen(function*() {
      const { closed, prepare: prepareAnew } = readyHarness()
      yield* Effect.scoped(beginPreparing({ prepare: prepareAnew }, prepareOptions()))
      expect(closed).toEqual([1])
    }))

  it.effect("is left to whoever took it", () =>
    Effect.gen(function*() {
      const { closed, prepare: prepareAnew } = readyHarness()
      const asked = prepareOptions()
      yield* Effect.scoped(Effect.flatMap(beginPreparing({ prepare: prepareAnew }, asked), ({ prepare }) => prepare({ ...asked })))
      expect(closed).toEqual([])
    }))
})

describe("a head start", () => {
  it.live("has the program ready by the time the record is open, for the Turn that is then recorded, and starts it once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { options, started, wanted, workspace } = yield* placed
      const run = yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: startInput("Say good morning.", workspace, { harness: "mine" }) })
        return yield* port.awaitRest(runId)
      }).pipe(Effect.provide(startLayer(options, wanted)))
      expect(run.state).toBe("succeeded")
      expect(run.turns.map(({ turnId }) => turnId)).toEqual([started().at(-1)?.turnId])
      expect(started().filter(({ turnId }) => turnId === run.turns[0]?.turnId)).toHaveLength(1)
      expect(started().some(running)).toBe(false)
    })))

  it.live("begins before there is a record, and is told once, to its harness only", () =>
    Effect.scoped(Effect.gen(function*() {
      const { begin, options, path, started, workspace } = yield* placed
      const agents = yield* begin()
      const turnId = agents.begunTurn?.("mine")
      expect([agents.begunTurn?.("mine"), agents.begunTurn?.("codex")]).toEqual([undefined, undefined])
      expect(existsSync(join(path, "core.sqlite"))).toBe(false)
      if (turnId === undefined) return expect.fail("nothing was begun")
      const prepared = yield* prepare(agents, { workspace, environment: options.environment, turnId, secrets: [] })
      expect(started().filter((one) => one.turnId === turnId)).toHaveLength(1)
      yield* prepared.close
      expect(started().some(running)).toBe(false)
    })))

  it.live("is for the model that the Turn then asks", () =>
    Effect.scoped(Effect.gen(function*() {
      const { options, started, wanted, workspace } = yield* placed
      const run = yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: startInput("hello", workspace, { harness: "mine", model: "m", effort: "high" }) })
        return yield* port.awaitRest(runId)
      }).pipe(Effect.provide(startLayer(options, { ...wanted, model: "m", effort: "high" })))
      expect(started().filter(({ turnId }) => turnId === run.turns[0]?.turnId)).toHaveLength(1)
    })))

  it.live("that no Turn takes ends with the home", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { begin, started } = yield* Scope.provide(placed, scope)
      const home = yield* Scope.fork(scope)
      yield* Scope.provide(begin(), home)
      yield* Effect.repeat(Effect.andThen(Effect.sleep("1 millis"), Effect.sync(started)), { until: (all) => all.length > 0 })
      yield* Scope.close(home, Exit.void)
      expect(started().some(running)).toBe(false)
      yield* Scope.close(scope, Exit.void)
    }))

  it.live("is ended before a Turn that is prepared otherwise gets a program of its own", () =>
    Effect.scoped(Effect.gen(function*() {
      const { begin, options, programs, started } = yield* placed
      const agents = yield* begin()
      const turnId = agents.begunTurn?.("mine")
      if (turnId === undefined) return expect.fail("nothing was begun")
      const prepared = yield* prepare(agents, { workspace: programs, environment: options.environment, turnId, secrets: [] })
      expect(started().filter(running)).toMatchObject([{ turnId }])
      yield* prepared.close
      expect(started().some(running)).toBe(false)
    })))

  it.live("is given to the real path of a workspace", () =>
    Effect.scoped(Effect.gen(function*() {
      const { begin, options, programs, started, workspace } = yield* placed
      symlinkSync(workspace, join(programs, "link"))
      const agents = yield* begin({ workspace: join(programs, "link") })
      const turnId = agents.begunTurn?.("mine")
      if (turnId === undefined) return expect.fail("nothing was begun")
      yield* (yield* prepare(agents, { workspace, environment: options.environment, turnId, secrets: [] })).close
      expect(started().filter((one) => one.turnId === turnId)).toHaveLength(1)
    })))

  for (
    const [why, more] of [
      ["an Operation that may be a repeat", { operationId: "again" }],
      ["a Run that its agent may call", { agentCalls: "accept" }],
      ["approvals that are left to a person, which is refused", { approvals: "ask" }],
      ["a harness that is no outside agent", { harness: "hosted" }],
      ["a workspace that does not exist", { workspace: "/nowhere/at all" }]
    ] as const
  ) {
    it.live(`is not given to ${why}: nothing is started`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { begin, started } = yield* placed
        const agents = yield* begin(more)
        expect(agents.entries.map(({ id }) => id)).toContain("mine")
        expect(agents.begunTurn?.("mine")).toBeUndefined()
        expect(started()).toEqual([])
      })))
  }

  it.live("of a program that cannot be used changes nothing: the start is refused for what is wrong, and nothing is recorded", () =>
    Effect.scoped(Effect.gen(function*() {
      const { options, wanted, workspace } = yield* placed
      const gone = { ...options, config: { harnesses: { mine: { command: ["/nowhere/mine"] as const } } } }
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { problem } = yield* Effect.flip(port.submit({ input: startInput("hello", workspace, { harness: "mine" }) }))
        expect(problem).toMatchObject({ code: "harness-not-found", possibleEffects: "none" })
        expect((yield* port.listRuns({ resumable: false, limit: 10 })).rows).toEqual([])
      }).pipe(Effect.provide(startLayer(gone, { ...wanted, harness: "mine" })))
    })))

  it.live("is ended where the record cannot be opened", () =>
    Effect.scoped(Effect.gen(function*() {
      const { options, path, started, wanted } = yield* placed
      mkdirSync(join(path, "core.sqlite"))
      const { problem } = yield* Effect.flip(Effect.provide(Effect.asVoid(ProjectionPort), startLayer(options, wanted)))
      expect(problem.code).toMatch(/^storage-/)
      expect(started().some(running)).toBe(false)
    })))
})
