import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type HomeEnvironment, homePath, openHome } from "./home.ts"

const pathOf = (environment: Partial<HomeEnvironment>, cwd: Effect.Effect<string, string> = Effect.succeed("/w")) =>
  Effect.runSync(Effect.result(homePath({ platform: "linux", userHome: "/u", variables: {}, named: undefined, ...environment }, cwd)))
const succeed = (path: string) => Result.succeed(path)

describe("where the home is", () => {
  it("the arguments name it, else STENO_HOME, relative to the caller's directory", () => {
    assert.deepStrictEqual(pathOf({ named: "a", variables: { STENO_HOME: "/z" } }), succeed("/w/a"))
    assert.deepStrictEqual(pathOf({ variables: { STENO_HOME: "x/y" } }), succeed("/w/x/y"))
    assert.deepStrictEqual(pathOf({ variables: { STENO_HOME: "/z/" } }), succeed("/z"))
  })

  it("else it is the platform's data directory", () => {
    assert.deepStrictEqual(pathOf({}), succeed("/u/.local/share/steno"))
    assert.deepStrictEqual(pathOf({ variables: { STENO_HOME: "" } }), succeed("/u/.local/share/steno"))
    assert.deepStrictEqual(pathOf({ variables: { XDG_DATA_HOME: "/d" } }), succeed("/d/steno"))
    assert.deepStrictEqual(pathOf({ variables: { XDG_DATA_HOME: "relative" } }), succeed("/u/.local/share/steno"))
    assert.deepStrictEqual(pathOf({ platform: "darwin" }), succeed("/u/Library/Application Support/steno"))
  })

  it.each(["linux", "darwin"] as const)("on %s a user without a home directory is told to set STENO_HOME", (platform) => {
    for (const userHome of ["", "relative"]) {
      const refused = pathOf({ platform, userHome })
      if (Result.isSuccess(refused) || typeof refused.failure === "string") return assert.fail("a path was made up")
      assert.strictEqual(refused.failure.problem.code, "config-invalid")
      assert.match(refused.failure.problem.remediation, /STENO_HOME/)
    }
  })

  it("only a relative path needs the caller's directory", () => {
    const gone = Effect.fail("gone")
    assert.deepStrictEqual(pathOf({ named: "/abs" }, gone), succeed("/abs"))
    assert.deepStrictEqual(pathOf({}, gone), succeed("/u/.local/share/steno"))
    assert.deepStrictEqual(pathOf({ named: "rel" }, gone), Result.fail("gone"))
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

  it.effect("below a file system that takes no folders is a Problem, not a wait without end", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(openHome("/proc/steno-home/a", "write"))
      assert.strictEqual(error.problem.code, "storage-failed")
      assert.deepStrictEqual(error.problem.details, { path: "/proc/steno-home/a", code: "ENOENT" })
    }))

  it.effect("through a link that leads nowhere is refused", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        symlinkSync(join(folder, "nowhere"), join(folder, "link"))
        const error = yield* Effect.flip(openHome(join(folder, "link", "home"), "write"))
        assert.strictEqual(error.problem.code, "home-permissions")
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

  it.effect("refuses a file in place of the data folder, whatever its mode", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        writeFileSync(join(folder, "data"), "", { mode: 0o600 })
        const error = yield* Effect.flip(openHome(folder, "write"))
        assert.strictEqual(error.problem.code, "home-permissions")
        assert.match(error.problem.explanation, /data is not a folder/)
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
