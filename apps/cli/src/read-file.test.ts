import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "./testing.ts"

/** Reads a file as somebody without rights, and prints the Problem. */
const readUnprivileged = (path: string) => {
  const script = `
    import { Effect, Stream } from "effect"
    import { fileBlocks } from ${JSON.stringify(new URL("./read-file.ts", import.meta.url).href)}
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534) }
    const { problem } = await Effect.runPromise(Effect.flip(Stream.runDrain(fileBlocks(${JSON.stringify(path)}))))
    console.log(JSON.stringify(problem))`
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: import.meta.dirname, encoding: "utf8" })
  expect(ran.stderr).toBe("")
  return JSON.parse(ran.stdout)
}

it("a file that this user may not read is a Problem that says so", () => {
  const path = join(temporaryFolder(), "secret.log")
  writeFileSync(path, "one\n", { mode: 0o000 })
  expect(readUnprivileged(path)).toEqual({
    code: "storage-failed",
    explanation: `This user may not read ${path}.`,
    remediation: "Name a file that you may read.",
    possibleEffects: "none",
    details: { path, code: "EACCES" }
  })
})
