import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, packedBin, plainEnvironment, steno, temporaryFolder } from "../testing.ts"
import { startAgentCallServer, startOwner } from "../testing/agent-call-server.ts"

const arguments_ = [packedBin, "agent-calls", "serve"]

/** The server with its bare streams; `ended` resolves to its exit code. */
const startBare = (environment: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, arguments_, { env: plainEnvironment(environment), stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise<number | null>((resolve) => void child.on("close", resolve))
  const lines: Array<string> = []
  return { child, ended, lines }
}

const request = (method: string, params: Record<string, unknown>) => `${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`
const hello = request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } })
const runDone = request("tools/call", { name: "run_done", arguments: { reason: "Done." } })

describe("the server of an outside agent's calls", () => {
  it("ends when its owner is killed", async () => {
    const owner = await startOwner()
    const server = await startAgentCallServer(packedBin, owner.environment)
    owner.kill()
    await server.ended
    expect(existsSync(`/proc/${server.pid}`)).toBe(false)
  })

  it("says of a call whose owner dies before it answers that nobody knows whether it counts, and ends", async () => {
    const owner = await startOwner("process.kill(process.pid, 'SIGKILL')")
    const server = await startAgentCallServer(packedBin, owner.environment)
    expect(await server.call("run_done", { reason: "Done." })).toEqual(["Nobody answered. Whether the call counts is not known.", true])
    await server.ended
  })

  it("does not take what no owner says for an answer", async () => {
    const owner = await startOwner("socket.end('{\"kind\":\"approved\"}\\n')")
    const server = await startAgentCallServer(packedBin, owner.environment)
    expect(await server.call("run_done", { reason: "Done." })).toEqual(["Nobody answered. Whether the call counts is not known.", true])
  })

  it("ends when the agent closes its input", async () => {
    const { child, ended } = startBare((await startOwner()).environment)
    child.stdin.end(hello)
    expect(await ended).toBe(0)
  })

  it("ends when the agent closes its input, although a call is not answered", async () => {
    const { child, ended } = startBare((await startOwner("process.stdout.write('asked')")).environment)
    child.stdin.end(hello + runDone)
    expect(await ended).toBe(0)
  })

  it("ends when the agent reads no more", async () => {
    const { child, ended } = startBare((await startOwner("socket.end('{\"kind\":\"accepted\"}\\n')")).environment)
    child.stdout.destroy()
    child.stdin.write(hello + runDone)
    expect(await ended).toBe(0)
  })

  it("goes on after a line that is no message", async () => {
    const { child } = startBare((await startOwner()).environment)
    child.stdin.write(`{"jsonrpc":\n\n[1]\n{"jsonrpc":"1.0"}\n${hello}`)
    const [line] = await new Promise<ReadonlyArray<Buffer>>((resolve) => void child.stdout.once("data", (data: Buffer) => resolve([data])))
    expect(JSON.parse(String(line))).toMatchObject({ id: 1, result: { serverInfo: { name: "steno" } } })
    child.stdin.end()
  })

  it("ends at input without end that is no message", async () => {
    const { child, ended } = startBare((await startOwner()).environment)
    child.stdin.on("error", () => {})
    child.stdin.write("x".repeat(11 * 1024 * 1024))
    expect(await ended).toBe(0)
  })

  it("does not start without an owner", () => {
    const environment = { STENO_AGENT_CALL_SOCKET: join(temporaryFolder(), "none.sock"), STENO_AGENT_CALL_TOKEN: "t" }
    const { status, stderr, stdout } = spawnSync(process.execPath, arguments_, { env: plainEnvironment(environment), encoding: "utf8" })
    expect([status, stdout, stderr]).toEqual([1, "", "Error: the Turn whose calls this command would serve is over.\n"])
  })

  it("tells a person who starts it that it is not theirs to start, and is in no help", () => {
    const place = makePlace()
    const started = steno(place, ["agent-calls", "serve"])
    expect([started.status, started.stdout]).toEqual([64, ""])
    expect(started.stderr).toMatch(/^Error: Steno starts this command itself/)
    expect(steno(place, ["agent-calls"]).status).toBe(64)
    for (const shown of [["--help"], ["completions", "bash"]]) expect(steno(place, shown).stdout).not.toContain("agent-calls ")
  })
})
