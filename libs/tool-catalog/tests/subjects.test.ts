import { expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hostCommand } from "../src/bash-command.ts"
import { checkCall } from "../src/checked-call.ts"
import { temporaryWorkspace } from "../src/testing.ts"
import { subjectsOf } from "../src/tool-subjects.ts"

const subjects = (tool: string, sent: object, cwd: string) =>
  subjectsOf(Result.getOrThrow(checkCall(tool, sent)), cwd).pipe(Effect.catch(({ code }) => Effect.succeed(code)))

const edits = [{ oldText: "a", newText: "b" }]

/** `w` is the Workspace, `out` lies beside it. */
const places = Effect.map(temporaryWorkspace, (root) => {
  const [cwd, out] = [join(root, "w"), join(root, "out")]
  mkdirSync(join(cwd, "src"), { recursive: true })
  mkdirSync(join(out, "deep"), { recursive: true })
  writeFileSync(join(out, "f"), "")
  symlinkSync("../out", join(cwd, "l"))
  symlinkSync(join(out, "deep"), join(cwd, "deep"))
  symlinkSync("../out/later", join(cwd, "nothing"))
  return { root, cwd, out }
})

it.effect("every tool names the resolved paths it reads or writes, or its command", () =>
  Effect.gen(function*() {
    const { cwd } = yield* places
    const one = (path: string, access: string) => ({ paths: [{ path, access }] })
    expect(yield* subjects("read", { path: "src" }, cwd)).toEqual(one(join(cwd, "src"), "read"))
    expect(yield* subjects("grep", { pattern: "x" }, cwd)).toEqual(one(cwd, "read"))
    expect(yield* subjects("find", { pattern: "x", path: "src" }, cwd)).toEqual(one(join(cwd, "src"), "read"))
    expect(yield* subjects("ls", {}, cwd)).toEqual(one(cwd, "read"))
    expect(yield* subjects("write", { path: "new/f", content: "" }, cwd)).toEqual(one(join(cwd, "new/f"), "write"))
    expect(yield* subjects("edit", { path: "src/f", edits }, cwd)).toEqual(one(join(cwd, "src/f"), "write"))
    expect(yield* subjects("edit", { path: "src/f", edits, dryRun: true }, cwd)).toEqual(one(join(cwd, "src/f"), "read"))
    expect(yield* subjects("bash", { command: "rm x", cwd: "src" }, cwd)).toEqual({
      paths: [],
      command: { text: "rm x", cwd: join(cwd, "src") }
    })
    expect(yield* subjects("run_done", { reason: "x" }, cwd)).toEqual({ paths: [] })
  }))

it.effect("a path leads where the kernel would take it: links first, then .., ends that do not exist yet too", () =>
  Effect.gen(function*() {
    const { cwd, out, root } = yield* places
    const path = (given: string) => Effect.map(subjects("read", { path: given }, cwd), (found) => typeof found === "string" ? found : found.paths[0]?.path)
    for (const given of ["l/f", "deep/../f", "./src/../l//f", "../w/l/f", "src/../../out/f"]) {
      expect(yield* path(given)).toBe(realpathSync.native(join(out, "f")))
    }
    expect(yield* path("nothing")).toBe(join(out, "later"))
    expect(yield* path("l/a/b/c")).toBe(join(out, "a/b/c"))
    expect(yield* path("../../../../../../../../../..")).toBe("/")
    expect(yield* path(root)).toBe(root)
    expect(yield* path("missing/../src")).toBe("path-not-found")
    expect(yield* path("l/f/x")).toBe("file-system")
  }))

it.effect("a command starts in an existing folder, with its limit in milliseconds", () =>
  Effect.gen(function*() {
    const { cwd, out } = yield* places
    const started = (args: Parameters<typeof hostCommand>[0]) =>
      hostCommand(args, cwd).pipe(Effect.catch(({ message }) => Effect.succeed(message)))
    expect(yield* started({ command: "true" })).toEqual({ command: "true", cwd })
    expect(yield* started({ command: "true", cwd: "l", env: { A: "b" }, timeoutSeconds: 3 })).toEqual({
      command: "true",
      cwd: out,
      env: { A: "b" },
      timeoutMs: 3_000
    })
    expect(yield* started({ command: "true", cwd: "scr" })).toBe("\"scr\" does not exist; close to it: \"src\"")
    expect(yield* started({ command: "true", cwd: "l/f" })).toBe("\"l/f\" is no folder; a command runs in a folder")
  }))
