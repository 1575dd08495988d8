import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { callFolder, makeFixture } from "./store-fixture.ts"
import { spawnStore } from "./spawned-store.ts"

it.effect("another file system mounted in a Session's folder is told and not emptied; what lies beside it is removed", () =>
  Effect.gen(function*() {
    const { dataRoot, home } = yield* makeFixture()
    const mounted = join(home, callFolder, "mounted")
    mkdirSync(dataRoot, { mode: 0o700 })
    mkdirSync(mounted, { recursive: true, mode: 0o700 })
    writeFileSync(join(home, callFolder, "beside"), "x")
    const setUp = `mount -t tmpfs tmpfs '${mounted}' && echo kept >'${mounted}/file'; "$@"; cat '${mounted}/file'; ls '${join(home, callFolder)}'`
    const printed = yield* Effect.promise(() =>
      spawnStore({ do: "remove", dataRoot }, { under: ["unshare", "-rm", "sh", "-c", setUp, "sh"] }).ended)
    const [said = "", ...rest] = printed.trim().split("\n")
    expect(JSON.parse(said).failure.reason).toMatchObject({ _tag: "StorageFailed", path: mounted, code: "EXDEV" })
    expect(rest).toEqual(["kept", "mounted"])
  }))
