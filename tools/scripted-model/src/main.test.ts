import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"

const program = fileURLToPath(new URL("main.ts", import.meta.url))

it("prints its address, then what each request was answered with, and ends on a signal", async () => {
  const child = spawn(process.execPath, [program, "examples/text-only.json"], { cwd: "/", stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const url = String((await lines.next()).value)
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  await fetch(`${url}/v1/messages`, { method: "POST", body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }) })
  expect((await lines.next()).value).toMatch(/^1 anthropic-messages [0-9a-f]{16} answer: step 1$/)
  child.kill("SIGTERM")
  expect(await once(child, "exit")).toEqual([0, null])
})

it.each([
  [[], 64, /^usage: /m],
  [["examples/text-only.json", "--port", "x"], 64, /^usage: /m],
  [["none.json"], 1, /ENOENT/],
  [["package.json"], 1, /not a script: /]
] as const)("refuses %j with exit code %i", (args, status, words) => {
  const ended = spawnSync(process.execPath, [program, ...args], { cwd: "/", encoding: "utf8" })
  expect([ended.status, ended.stdout]).toEqual([status, ""])
  expect(ended.stderr).toMatch(words)
})
