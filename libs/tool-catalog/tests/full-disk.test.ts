import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { temporaryWorkspace } from "../src/testing.ts"

const program = fileURLToPath(new URL("tool-process.ts", import.meta.url))

/** Calls on a file system of 1 MiB in which `f` stands; what they say, what then lies there, and what `f` holds. */
const onSmallDisk = (mount: string, calls: ReadonlyArray<readonly [string, object]>) => {
  const setUp = `mount -t tmpfs -o size=1m tmpfs '${mount}' && echo old >'${mount}/f' && "$@" && cd '${mount}' && echo && find . -type f && cat f`
  const { stderr, stdout } = spawnSync(
    "unshare",
    ["-rm", "sh", "-c", setUp, "sh", process.execPath, program, mount],
    { encoding: "utf8", input: JSON.stringify(calls) }
  )
  const [answers, ...rest] = stdout.trim().split("\n")
  if (!answers?.startsWith("[")) throw new Error(stderr)
  return { answers: JSON.parse(answers) as ReadonlyArray<unknown>, rest }
}

it.effect("a disk that becomes full fails write and edit by name; the file is as it was and nothing lies beside it", () =>
  Effect.gen(function*() {
    const { answers, rest } = onSmallDisk(yield* temporaryWorkspace, [
      ["write", { path: "f", content: "x".repeat(2_000_000) }],
      ["write", { path: "new", content: "x".repeat(2_000_000) }],
      ["edit", { path: "f", edits: [{ oldText: "old", newText: "x".repeat(2_000_000) }] }]
    ])
    const full = { code: "storage-full", message: expect.stringContaining("no space left on the device") }
    expect(answers).toEqual([full, full, full])
    expect(rest).toEqual(["./f", "old"])
  }))
