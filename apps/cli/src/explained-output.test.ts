import { ProjectionDocument } from "@steno/contracts"
import { Schema } from "effect"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { makePlace, runOf, shell, steno } from "./testing.ts"

const decode = Schema.decodeUnknownSync(ProjectionDocument)
const documentOf = (stdout: string) => decode(JSON.parse(stdout))

const failing = "for i in $(seq 4000); do echo \"compiled unit $i\"; test $i = 2000 && echo 'error: undefined reference to main' >&2; done; exit 2"

it("a command that fails with thousands of lines and one error in their middle is shown with it, explained, and projected alike from its file", () => {
  const place = makePlace()
  const started = steno(place, ["run", "start", "--", failing])
  expect(started.status).toBe(1)
  expect(started.stdout).toContain(": error: undefined reference to main\n")

  const output = runOf(steno(place, ["run", "show", "@last", "--json"]).stdout).calls[0]?.output
  const explain = ["run", "read", "@last", "--call", "1", "--explain"]
  const plain = steno(place, explain)
  expect([plain.status, plain.stderr]).toEqual([0, ""])
  expect(plain.stdout.startsWith(`${output?.projection}\n\nWhy: process_diagnostics, selection; `)).toBe(true)

  const json = steno(place, [...explain, "--json"])
  expect([json.status, json.stderr]).toEqual([0, ""])
  const document = documentOf(json.stdout)
  expect(document.text).toBe(output?.projection)
  expect(document).not.toHaveProperty("warnings")
  expect(document.totalLines).toBe(4_001)
  const [, line] = /^(\d+): error: undefined/m.exec(document.text) ?? []
  expect(document.kept.map((kept) => String(kept.line))).toContain(line)
  for (const { line, why } of document.kept) expect(plain.stdout).toMatch(new RegExp(`^  ${line} +${why}$`, "m"))

  copyFileSync(output?.path ?? "", join(place.workspace, "build.log"))
  const projected = steno(place, ["project", "build.log", "--exit-code", "2", "--json"])
  expect([projected.status, projected.stderr]).toEqual([0, ""])
  for (const alike of [projected, shell(place, "cat build.log | steno project - --exit-code 2 --json")]) {
    const { kept, omitted } = documentOf(alike.stdout)
    expect({ kept, omitted }).toEqual({ kept: document.kept, omitted: document.omitted })
  }
})

it("project takes what any program writes, from a pipe or a substituted file, and needs no home", () => {
  const place = makePlace()
  const shown = "Output (3 lines, 6 bytes):\n1\n2\n3\n"
  for (const line of ["seq 3 | steno project -", "steno project <(seq 3)", "seq 3 > three; steno project - < three; test ! -e \"$STENO_HOME\""]) {
    const ran = shell(place, line)
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, shown, ""])
  }
})

it("project of a folder on stdin is no empty output but wrong usage", () => {
  const refused = shell(makePlace(), "steno project - < .")
  expect([refused.status, refused.stdout]).toEqual([64, ""])
  expect(refused.stderr).toMatch(/^Error \[usage-invalid\]: stdin could not be read: EISDIR\.\n/)
})
