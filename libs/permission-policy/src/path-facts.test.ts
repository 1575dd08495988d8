import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../tests/temporary-folder.ts"
import { pathFact, PathResolver } from "./path-facts.ts"

describe("where a path leads", () => {
  it.effect("follows links at every place, also to what does not exist yet", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "a", "b"), { recursive: true })
      mkdirSync(join(folder, "outside"))
      writeFileSync(join(folder, "a", "file"), "")
      symlinkSync(join(folder, "outside"), join(folder, "a", "out"))
      symlinkSync("../outside/new", join(folder, "a", "dangling"))
      symlinkSync("out", join(folder, "a", "twice"))
      const real = (path: string) => pathFact(`${folder}/${path}`)?.real.slice(folder.length + 1)
      expect(real("a/file")).toBe("a/file")
      expect(real("a/new/x")).toBe("a/new/x")
      expect(real("a/out")).toBe("outside")
      expect(real("a/out/new/x")).toBe("outside/new/x")
      expect(real("a/dangling")).toBe("outside/new")
      expect(real("a/twice/x")).toBe("outside/x")
      expect(real("a/out/..")).toBe("")
      expect(real("a/./b//../file")).toBe("a/file")
      expect(real("a/file/x")).toBe("a/file/x")
      expect(real(`a/${"x".repeat(300)}`)).toBe(`a/${"x".repeat(300)}`)
    }))

  it.effect("is unknown for links in circles and names with a NUL", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      symlinkSync("b", join(folder, "a"))
      symlinkSync("a", join(folder, "b"))
      const resolver = yield* PathResolver
      const facts = yield* resolver.resolve([join(folder, "a"), "/a\0b", "/"])
      expect([...facts.values()]).toEqual([undefined, undefined, { real: "/", blockDevice: false }])
    }).pipe(Effect.provide(PathResolver.layer)))
})
