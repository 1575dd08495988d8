import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { homePath, openHome } from "./home.ts"

const linux = { platform: "linux", userHome: "/u" } as const

describe("where the home is", () => {
  it("STENO_HOME names it, relative to the caller's directory", () => {
    assert.strictEqual(homePath({ ...linux, variables: { STENO_HOME: "x/y" } }, "/w"), "/w/x/y")
    assert.strictEqual(homePath({ ...linux, variables: { STENO_HOME: "/z" } }, "/w"), "/z")
  })

  it("else it is the platform's data directory", () => {
    assert.strictEqual(homePath({ ...linux, variables: {} }, "/w"), "/u/.local/share/steno")
    assert.strictEqual(homePath({ ...linux, variables: { XDG_DATA_HOME: "/d" } }, "/w"), "/d/steno")
    assert.strictEqual(homePath({ ...linux, variables: { XDG_DATA_HOME: "relative" } }, "/w"), "/u/.local/share/steno")
    assert.strictEqual(
      homePath({ platform: "darwin", userHome: "/u", variables: {} }, "/w"),
      "/u/Library/Application Support/steno"
    )
  })
})

const inFolder = <A, E>(use: (folder: string) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-home-"))),
    use,
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

describe("opening a home", () => {
  it.effect("to write creates it for its owner alone", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        const opened = yield* openHome(join(folder, "a", "b"), "write")
        assert.strictEqual(opened.access, "write")
        assert.strictEqual(statSync(opened.path).mode & 0o777, 0o700)
      })
    ))

  it.effect("to read creates nothing", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        const opened = yield* openHome(join(folder, "missing"), "read")
        assert.strictEqual(opened.access, "read")
        assert.isFalse(existsSync(opened.path))
      })
    ))

  it.effect("leaves the mode of an existing folder as it is", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        chmodSync(folder, 0o755)
        yield* openHome(folder, "write")
        assert.strictEqual(statSync(folder).mode & 0o777, 0o755)
      })
    ))

  it.effect("refuses a data folder that others may enter", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        mkdirSync(join(folder, "data"))
        chmodSync(join(folder, "data"), 0o755)
        const error = yield* Effect.flip(openHome(folder, "write"))
        assert.strictEqual(error.problem.code, "home-permissions")
        assert.strictEqual(error.problem.possibleEffects, "none")
      })
    ))

  it.effect("refuses a file in place of the folder", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        writeFileSync(join(folder, "file"), "")
        for (const need of ["write", "read"] as const) {
          const error = yield* Effect.flip(openHome(join(folder, "file"), need))
          assert.strictEqual(error.problem.code, "home-permissions")
        }
      })
    ))
})
