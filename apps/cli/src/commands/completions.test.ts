import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, plainEnvironment, steno, temporaryFolder } from "../testing.ts"

const scriptOf = (shell: string) => {
  const printed = steno(makePlace(), ["completions", shell])
  expect([printed.status, printed.stderr]).toEqual([0, ""])
  return printed.stdout
}

const isInstalled = (shell: string) => spawnSync(shell, ["--version"]).status === 0
/** Every one of them on a machine that has them; bash is needed to run commands at all. */
const installed = ["bash", "zsh", "fish"].filter((shell) => shell === "bash" || isInstalled(shell))

/** What bash offers for the word under the cursor, which is the last one. */
const offeredByBash = (script: string, words: ReadonlyArray<string>) => {
  const quoted = words.map((word) => `'${word}'`).join(" ")
  const asked = spawnSync("bash", ["--norc", "-c", `${script}
    COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; COMP_LINE='${words.join(" ")}'; COMP_POINT=\${#COMP_LINE}
    _steno steno "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
    printf '%s\\n' "\${COMPREPLY[@]}"`], { encoding: "utf8", env: plainEnvironment() })
  expect(asked.stderr).toBe("")
  return asked.stdout.trim().split("\n").sort()
}

describe("steno completions", () => {
  it.each(installed)("%s reads the script without a complaint", (shell) => {
    const file = join(temporaryFolder(), `steno.${shell}`)
    writeFileSync(file, scriptOf(shell))
    const checked = spawnSync(shell, ["-n", file], { encoding: "utf8" })
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, "", ""])
  })

  it.each(["bash", "zsh", "fish"])("for %s says how it is installed with a command that exists", (shell) => {
    const script = scriptOf(shell)
    expect(script).toContain(`#   steno completions ${shell} >`)
    expect(script).not.toContain("--completions ")
    for (const option of ["transcript", "operation-id", "format", "help", "explain", "exit-code"]) expect(script).toContain(option)
  })

  it("offers in bash what a command takes: names, options, values, files", () => {
    const script = scriptOf("bash")
    const offered = (...words: ReadonlyArray<string>) => offeredByBash(script, ["steno", ...words])
    expect(offered("")).toEqual(expect.arrayContaining(["completions", "run"]))
    expect(offered("run", "")).toEqual(expect.arrayContaining(["answer", "cancel", "delete", "end", "export", "interrupt", "list", "read", "resume", "send", "show", "start", "steer"]))
    expect(offered("--home", "/tmp", "run", "sho")).toEqual(["show"])
    expect(offered("run", "cancel", "--")).toEqual(["--help", "--home", "--json", "--operation-id"])
    expect(offered("run", "cancel", "--json", "--")).toEqual(["--help", "--home", "--operation-id"])
    expect(offered("run", "read", "x", "--stream", "std")).toEqual(["stderr", "stdout"])
    expect(offered("run", "start", "--approvals", "")).toEqual(["allow", "ask", "deny"])
    expect(offered("run", "answer", "x", "--a")).toEqual(["--allow", "--always", "--answer", "--answer-text"])
    expect(offered("run", "answer", "x", "--always", "w")).toEqual(["workspace"])
    expect(offered("harness", "")).toEqual(expect.arrayContaining(["check", "list"]))
    expect(offered("completions", "")).toEqual(["bash", "fish", "zsh"])
    const folder = temporaryFolder()
    writeFileSync(join(folder, "run.md"), "")
    expect(offered("run", "export", "x", "--output", join(folder, "r"))).toEqual([join(folder, "run.md")])
    expect(offered("project", join(folder, "r"))).toEqual([join(folder, "run.md")])
    expect(offered("project", "--tool", "")).toEqual(["bash"])
  })
})
