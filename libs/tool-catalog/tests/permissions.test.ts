import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { temporaryWorkspace } from "../src/testing.ts"

const nobody = 65_534

const program = fileURLToPath(new URL("tool-process.ts", import.meta.url))

/** Runs the calls as a user whom permission bits bind. */
const asNobody = (folder: string, ...calls: ReadonlyArray<readonly [string, object]>): ReadonlyArray<Record<string, unknown>> => {
  const { stderr, stdout } = spawnSync(process.execPath, [program, folder], {
    input: JSON.stringify(calls),
    uid: nobody,
    gid: nobody,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] }
  })
  expect(stderr.replaceAll(/^.*Warning.*\n/gm, "")).toBe("")
  return JSON.parse(stdout) as ReadonlyArray<Record<string, unknown>>
}

const workspace = Effect.tap(temporaryWorkspace, (folder) => Effect.sync(() => chmodSync(folder, 0o777)))

it.effect("what may not be read, listed, entered or written is refused by name and reason, and is as it was", () =>
  Effect.gen(function*() {
    const folder = yield* workspace
    writeFileSync(join(folder, "secret"), "x\n", { mode: 0o600 })
    mkdirSync(join(folder, "closed"), { mode: 0o700 })
    mkdirSync(join(folder, "fixed"), { mode: 0o755 })
    writeFileSync(join(folder, "fixed", "f"), "old", { mode: 0o644 })
    const answers = asNobody(
      folder,
      ["read", { path: "secret" }],
      ["ls", { path: "closed" }],
      ["read", { path: "closed/f" }],
      ["write", { path: "fixed/f", content: "new" }],
      ["write", { path: "fixed/g", content: "new" }],
      ["edit", { path: "fixed/f", edits: [{ oldText: "old", newText: "new" }] }],
      ["write", { path: "secret", content: "new" }]
    )
    for (const answer of answers) expect(answer).toEqual({ code: "permission-denied", message: expect.stringContaining("permission denied") })
    expect(readFileSync(join(folder, "fixed", "f"), "utf8")).toBe("old")
    expect(readdirSync(join(folder, "fixed"))).toEqual(["f"])
    expect(readdirSync(folder).toSorted()).toEqual(["closed", "fixed", "secret"])
  }))

it.effect("a search goes on around what it may not read and names it", () =>
  Effect.gen(function*() {
    const folder = yield* workspace
    writeFileSync(join(folder, "a"), "x\n", { mode: 0o600 })
    writeFileSync(join(folder, "b"), "x\n", { mode: 0o644 })
    mkdirSync(join(folder, "closed"), { mode: 0o700 })
    const [matches, paths] = asNobody(folder, ["grep", { pattern: "x" }], ["find", { pattern: "*" }])
    expect(matches).toEqual({
      matches: [{ path: "b", line: 1, text: "x" }],
      total: 1,
      warnings: [expect.stringMatching(/^a: Permission denied/), expect.stringMatching(/^closed: Permission denied/)]
    })
    expect(paths).toMatchObject({ total: 2, warnings: [expect.stringMatching(/^closed: Permission denied/)] })
  }))

it.effect("a file of another owner in a folder that is open changes its owner, and the result says so", () =>
  Effect.gen(function*() {
    const folder = yield* workspace
    writeFileSync(join(folder, "f"), "old", { mode: 0o666 })
    chmodSync(join(folder, "f"), 0o666)
    chownSync(join(folder, "f"), 0, 0)
    const [answer] = asNobody(folder, ["write", { path: "f", content: "new" }])
    expect(answer).toMatchObject({
      warnings: expect.arrayContaining(["The file belongs to this user now; its owner could not be kept."])
    })
    expect(statSync(join(folder, "f"))).toMatchObject({ uid: nobody, mode: 0o100_666 })
  }))
