import { describe, expect, it } from "@effect/vitest"
import { completed, end, type FakeStep } from "@steno/harness-seam/testing"
import { ProjectionPort } from "@steno/projection-port"
import { Deferred, Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { onOutsideAgent, type OutsideAgent } from "./testing/outside-runs.ts"

/** What the socket answers to one line; undefined where it hangs up or is not there. */
const ask = (path: string, line: string) =>
  Effect.callback<unknown>((resume) => {
    let text = ""
    const socket = connect(path, () => socket.write(`${line}\n`))
    socket.setEncoding("utf8")
    socket.on("data", (piece: string) => {
      text += piece
    })
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.sync((): unknown => (text === "" ? undefined : JSON.parse(text)))))
  })

const serverOf = ({ prepared }: OutsideAgent) => {
  const environment: Readonly<Record<string, string>> = prepared[0]?.agentCallServer?.environment ?? {}
  return { path: environment["STENO_AGENT_CALL_SOCKET"] ?? "", token: environment["STENO_AGENT_CALL_TOKEN"] ?? "" }
}

const untilGate: ReadonlyArray<FakeStep> = [{ do: "gate", name: "called" }, end(completed)]

describe("the server of an outside agent's calls", () => {
  it.live("takes a call of its Turn, for whoever has the token, and is gone with the Turn", () =>
    onOutsideAgent([{ steps: untilGate }], Effect.fnUntraced(function*(agent) {
      const port = yield* ProjectionPort
      const runId = yield* agent.begin({ agentCalls: "accept" })
      const { path, token } = serverOf(agent)
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(agent.prepared[0]?.secrets).toEqual([token])
      const call = { id: "1", call: "run_done", reason: "The tests pass." }
      expect(yield* ask(path, JSON.stringify({ ...call, token: `${token}x` }))).toMatchObject({ kind: "refused" })
      expect(yield* ask(path, "not a line of ours")).toMatchObject({ kind: "refused" })
      expect(yield* ask(path, "x".repeat(20_000))).toBeUndefined()
      expect(agent.stored()).toEqual([])
      expect(yield* ask(path, JSON.stringify({ ...call, reason: " ", token }))).toMatchObject({ kind: "refused" })
      expect(yield* ask(path, JSON.stringify({ ...call, token }))).toEqual({ kind: "accepted" })
      yield* agent.fake.openGate("called")
      expect(yield* port.awaitRest(runId)).toMatchObject({ state: "succeeded", calls: [] })
      expect(existsSync(path)).toBe(false)
      expect(yield* ask(path, JSON.stringify({ ...call, token }))).toBeUndefined()
      expect(agent.stored().map(([type]) => type)).toEqual(["agent-call", "agent-call", "turn-settled"])
    })))

  it.live("refuses a call that comes when the Turn is over, though its program lives, and nothing of it is on record", () => {
    const ended = Deferred.makeUnsafe<void>()
    return onOutsideAgent([{ steps: [end(completed)] }], (agent) => Effect.gen(function*() {
      const port = yield* ProjectionPort
      const runId = yield* agent.begin({ agentCalls: "accept" })
      const { path, token } = serverOf(agent)
      yield* port.showRun({ text: runId, workspacePath: "" }).pipe(Effect.repeat({ until: ({ state }) => state === "succeeded" }))
      const call = { id: "1", call: "run_failed", reason: "It was too late.", token }
      expect(yield* ask(path, JSON.stringify(call))).toEqual({ kind: "refused", reason: "The Turn is over." })
      expect(agent.stored().map(([type]) => type)).toEqual(["turn-settled"])
    }).pipe(Effect.ensuring(Deferred.succeed(ended, undefined))), Effect.as(Deferred.await(ended), {}))
  })

  it.live("is not offered where the Run takes no such call", () =>
    onOutsideAgent([{ steps: [end(completed)] }], Effect.fnUntraced(function*(agent) {
      const port = yield* ProjectionPort
      yield* port.awaitRest(yield* agent.begin())
      expect(agent.prepared).toMatchObject([{ secrets: [] }])
      expect(agent.prepared[0]).not.toHaveProperty("agentCallServer")
    })))

  it.live("clears away the sockets that a killed owner left, and nothing else", () =>
    onOutsideAgent([{ steps: untilGate }], Effect.fnUntraced(function*(agent) {
      const port = yield* ProjectionPort
      const folder = join(agent.home, "sockets")
      mkdirSync(folder)
      const bind = (name: string, then: string) =>
        spawnSync(process.execPath, ["-e", `require("net").createServer().listen(${JSON.stringify(join(folder, name))}, () => ${then})`])
      bind("left.sock", 'process.kill(process.pid, "SIGKILL")')
      const live = createServer()
      yield* Effect.callback<void>((resume) => void live.listen(join(folder, "live.sock"), () => resume(Effect.void)))
      mkdirSync(join(folder, "folder"))
      writeFileSync(join(folder, "file"), "")
      for (const name of ["left.sock", "live.sock", "folder", "file"]) utimesSync(join(folder, name), 0, 0)
      const runId = yield* agent.begin({ agentCalls: "accept" })
      expect(["left.sock", "live.sock", "folder", "file"].map((name) => existsSync(join(folder, name)))).toEqual([false, true, true, true])
      yield* agent.fake.openGate("called")
      yield* port.awaitRest(runId)
      live.close()
    })))
})
