import fc from "fast-check"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { decideCommand, deny } from "../src/testing.ts"

const bash = (process.env["PATH"] ?? "").split(delimiter).map((part) => join(part, "bash")).find((file) => existsSync(file)) ?? "/bin/bash"

let folder = ""
const log = () => join(folder, "log")

/** A PATH that holds nothing but programs which say that they ran. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "steno-policy-shell-"))
  mkdirSync(join(folder, "bin"))
  mkdirSync(join(folder, "work"))
  for (const name of ["rm", "git", "ls"]) {
    const program = join(folder, "bin", name)
    writeFileSync(program, `#!/bin/sh\necho ${name} >> '${log()}'\n`)
    chmodSync(program, 0o755)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Names of the programs that a real shell started for this line. */
const ranBy = (line: string): ReadonlyArray<string> => {
  rmSync(log(), { force: true })
  spawnSync(bash, ["-c", line], {
    cwd: join(folder, "work"),
    env: { PATH: join(folder, "bin") },
    input: "",
    stdio: ["pipe", "ignore", "ignore"],
    timeout: 10_000,
    killSignal: "SIGKILL"
  })
  return existsSync(log()) ? readFileSync(log(), "utf8").trim().split("\n") : []
}

const tokens = [
  "rm", "rm x", "git a", "ls", " ", "\n", ";", " && ", " || ", "|", " & ", "|&", "(", ")", "{ ", "; }", "$(", "`", "\\`", "\"", "'", "$'", "\\'",
  "\\", "\\\n", "$", "${x:-", "}", "x=1 ", "$x", "<<E\n", "\nE\n", "<<'E'\n", "<<-E\n\t", "<<<", "<(", ">(", ">f", "<f", "2>&1", ">&f", "&>f",
  "if ", "; then ", "; fi", "for i in a; do ", "; done", "case x in x) ", ";; esac", "((", "))", "$((", "[[ ", " ]]", "! ", "!(", "?(", "@(", "f() ",
  "function f { ", "time ", "coproc ", "# ", "=", "a[", "]", "*", "{a,b}", "{rm,x}", "\r", "\u00a0", "$\"", "\\rm x", "r''m x", "$'\\x72m'", "command ", "exec "
]
const lines = fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 9 }).map((parts) => parts.join(""))

it("a line that is allowed although `rm` is denied never starts rm in a real shell", () => {
  fc.assert(fc.property(lines, (line) => {
    if (decideCommand(line, [{ effect: "allow" }, deny("rm *")]).decision !== "allow") return
    if (/rm|72m|r''m/.test(line)) expect([line, ranBy(line)]).not.toEqual([line, expect.arrayContaining(["rm"])])
  }), { numRuns: 1_500 })
})

it("that shell and those programs do tell what ran", () => {
  expect(ranBy("git a && r''m x | ls")).toEqual(expect.arrayContaining(["git", "rm", "ls"]))
})
