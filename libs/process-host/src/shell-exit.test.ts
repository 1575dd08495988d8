import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Readable, Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { expect, it } from "vitest"
import { readProcess } from "./process-table.ts"
import { exitOf } from "./shell-exit.ts"

/** The status of a shell that ended by `script`; its parent has become a program that collects nobody. */
const statusOfUncollected = async (script: string): Promise<number> => {
  const parent = spawn("sh", ["-c", `bash -c 'read -r go <&3; ${script}' & echo $!; exec sleep 60`], {
    stdio: ["ignore", "pipe", "ignore", "pipe"]
  })
  const [, stdout, , go] = parent.stdio
  if (!(stdout instanceof Readable) || !(go instanceof Writable)) throw new Error("No pipes")
  const [line] = await once(stdout, "data")
  const pid = Number(String(line))
  while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "sleep\n") await setTimeout(2)
  go.end("go\n")
  for (;;) {
    const entry = readProcess(pid)
    if (entry?.state === "Z") {
      parent.kill("SIGKILL")
      return entry.waitStatus
    }
    await setTimeout(2)
  }
}

it("an end by a real-time signal, which Node calls exit 0, has that signal's number and no exit code", async () => {
  const status = await statusOfUncollected("kill -34 $$")
  expect(exitOf(0, null, status)).toEqual({ kind: "signalled", signal: "SIG34" })
})

it("an exit keeps its code, a named signal its name", async () => {
  expect(exitOf(0, null, await statusOfUncollected("exit 0"))).toEqual({ kind: "exited", code: 0 })
  expect(exitOf(3, null, await statusOfUncollected("exit 3"))).toEqual({ kind: "exited", code: 3 })
  expect(exitOf(null, "SIGSEGV", await statusOfUncollected("kill -SEGV $$"))).toEqual({ kind: "signalled", signal: "SIGSEGV" })
})
