import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { fileAppears, makePlace, type Place, runOf, runUntilReady, startUntilReady, steno } from "./testing.ts"

/** A process that ended and was not collected yet (state Z or X of proc_pid_stat(5)) is gone. */
const isAlive = (pid: string) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
  } catch {
    return false
  }
}
const pidsIn = (workspace: string) => readFileSync(join(workspace, "pids"), "utf8").trim().split("\n")

describe("a signal while a Run is waited for", () => {
  it.each([["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129], ["SIGQUIT", 131]] as const)(
    "%s ends the command, rests the Run halted and exits %i",
    async (signal, code) => {
      const place = makePlace()
      const running = await startUntilReady(place, "echo $$ > pids; echo before; touch ready; sleep 60")
      running.kill(signal)
      const ended = await running.ended
      expect([ended.code, ended.signal]).toEqual([code, null])
      const run = runOf(ended.stdout)
      expect([run.state, run.calls[0]?.outcome]).toEqual(["halted", "cancelled"])
      expect(readFileSync(run.calls[0]?.output?.path ?? "", "utf8")).toBe("before\n")
      for (const pid of pidsIn(place.workspace)) expect(isAlive(pid)).toBe(false)
    }
  )

  it("leaves the port of a server that the command ran free: the same command binds it again at once", async () => {
    const listen = (port: string) =>
      `"${process.execPath}" -e "const s = require('net').createServer().listen(${port}, '127.0.0.1', () => { require('fs').writeFileSync('port', String(s.address().port)); require('fs').writeFileSync('ready', '') })"`
    const place = makePlace()
    const first = await startUntilReady(place, listen("0"))
    first.kill("SIGINT")
    expect((await first.ended).code).toBe(130)
    const port = readFileSync(join(place.workspace, "port"), "utf8")
    rmSync(join(place.workspace, "ready"))
    const second = await startUntilReady(place, listen(port))
    second.kill("SIGINT")
    const ended = await second.ended
    expect([ended.code, runOf(ended.stdout).calls[0]?.outcome]).toEqual([130, "cancelled"])
  })

  it("that comes when the command had ended by itself leaves the command's own end and exit code", async () => {
    const place = makePlace()
    const running = await startUntilReady(place, "echo $$ > pids; sleep 60 & echo out; touch ready; exit 7")
    const [shell = ""] = pidsIn(place.workspace)
    while (isAlive(shell)) await setTimeout(5)
    running.kill("SIGINT")
    const ended = await running.ended
    const run = runOf(ended.stdout)
    expect([run.state, run.calls[0]?.outcome, run.calls[0]?.exitCode]).toEqual(["failed", "completed", 7])
    expect(ended.code).toBe(1)
  })

  it("a second Ctrl-C kills a command that ignores the first, and exits 130", async () => {
    const place = makePlace()
    const running = await startUntilReady(
      place,
      "trap 'echo asked >> asked' TERM INT; echo $$ > pids; touch ready; while :; do sleep 0.1; done"
    )
    running.kill("SIGINT")
    await fileAppears(place.workspace, "asked")
    const again = setInterval(() => running.kill("SIGINT"), 50)
    const ended = await running.ended
    clearInterval(again)
    expect(ended.code).toBe(130)
    for (const pid of pidsIn(place.workspace)) expect(isAlive(pid)).toBe(false)
    const run = runOf(steno(place, ["run", "show", "@last", "--json"]).stdout)
    expect(run.state).toBe("halted")
  })
})

/** An agent that never answers and does not mind that nobody speaks to it any more. */
const withMuteAgent = (): Place => {
  const place = makePlace()
  const program = join(place.workspace, "mute")
  writeFileSync(program, `#!/bin/sh\necho $$ > '${place.workspace}/pids'\ntouch '${place.workspace}/ready'\nexec sleep 60\n`)
  chmodSync(program, 0o755)
  mkdirSync(join(place.home, "config"), { recursive: true, mode: 0o700 })
  writeFileSync(join(place.home, "config", "steno.json"), JSON.stringify({ harnesses: { mute: { command: [program] } } }))
  return place
}

describe("a signal before a Run is admitted", () => {
  it.each([["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129], ["SIGQUIT", 131]] as const)(
    "%s ends the agent that is being prepared, records nothing and exits %i",
    async (signal, code) => {
      const place = withMuteAgent()
      const running = await runUntilReady(place, ["run", "start", "--harness", "mute", "--json", "--", "hello"])
      running.kill(signal)
      expect(await running.ended).toEqual({ code, signal: null, stdout: "" })
      for (const pid of pidsIn(place.workspace)) expect(isAlive(pid)).toBe(false)
      expect(JSON.parse(steno(place, ["run", "list", "--all", "--json"]).stdout)).toMatchObject({ rows: [] })
    }
  )
})
