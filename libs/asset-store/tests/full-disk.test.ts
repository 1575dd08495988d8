import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { temporaryHome } from "../src/testing.ts"
import { spawnStore } from "./spawned-store.ts"

/** What a write of `sizeBytes` says on a file system of 1 MiB, and what lies there afterwards. */
const writeOnSmallDisk = Effect.fnUntraced(function*(sizeBytes: number, filled: string) {
  const mount = yield* temporaryHome
  const setUp = `mount -t tmpfs -o size=1m tmpfs '${mount}' && { head -c ${filled} /dev/zero >'${mount}/filler' 2>/dev/null; "$@"; cd '${mount}'; find . -type f ! -name filler; }`
  const printed = yield* Effect.promise(() =>
    spawnStore({ do: "write", dataRoot: join(mount, "data"), sizeBytes }, { under: ["unshare", "-rm", "sh", "-c", setUp, "sh"] }).ended)
  const [said = "", ...files] = printed.trim().split("\n")
  return { mount, said: JSON.parse(said), files }
})

it.effect("a disk that becomes full fails the write by name and leaves neither file nor temporary file", () =>
  Effect.gen(function*() {
    const { files, mount, said } = yield* writeOnSmallDisk(2_000_000, "1k")
    expect(said.failure.reason).toMatchObject({ _tag: "StorageFull", operation: "write", code: "ENOSPC" })
    expect(said.failure.reason.path).toContain(`${mount}/data/conversations/conv_A/tool-calls/call_1/`)
    expect(files).toEqual([])
  }))

it.effect("a full disk refuses the first byte", () =>
  Effect.gen(function*() {
    const { files, said } = yield* writeOnSmallDisk(1, "2m")
    expect(said.failure.reason).toMatchObject({ _tag: "StorageFull", code: "ENOSPC" })
    expect(files).toEqual([])
  }))

it.effect("a file that fits is written", () =>
  Effect.gen(function*() {
    const { files, said } = yield* writeOnSmallDisk(500_000, "1k")
    expect(said.ok).toMatchObject({ sizeBytes: 500_000 })
    expect(files).toEqual(["./data/conversations/conv_A/tool-calls/call_1/result.json"])
  }))
