import { expect, it } from "vitest"
import { Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { execFileSync } from "node:child_process"
import { existsSync, linkSync, lstatSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeFixture, treeOf } from "../tests/store-fixture.ts"

const hourMs = 3_600_000

const part = fc.constantFrom("a", "b", "c", `.steno-write-${"0".repeat(32)}`)
const entry = fc.record({
  top: fc.constantFrom("conversations", "launches"),
  parts: fc.array(part, { minLength: 1, maxLength: 5 }),
  kind: fc.constantFrom("file", "file", "file", "file", "folder", "folder", "link", "link", "hardlink", "hardlink", "fifo"),
  bytes: fc.nat({ max: 20_000 }),
  isYoung: fc.boolean()
})
type Entry = typeof entry extends fc.Arbitrary<infer A> ? A : never

/** Makes what has a place left; the rest is skipped, so that nothing is made through a link. */
const make = (dataRoot: string, outside: string, entries: ReadonlyArray<Entry>, youngMs: number): void => {
  const closed = new Set<string>()
  for (const { bytes, isYoung, kind, parts, top } of entries) {
    const way = parts.map((_, index) => join(dataRoot, top, ...parts.slice(0, index + 1)))
    const path = way.at(-1) ?? dataRoot
    if (way.some((place) => closed.has(place)) || existsSync(path)) continue
    mkdirSync(kind === "folder" ? path : dirname(path), { recursive: true, mode: 0o700 })
    if (kind === "folder") continue
    closed.add(path)
    if (kind === "file") writeFileSync(path, new Uint8Array(bytes))
    if (kind === "link") symlinkSync(outside, path)
    if (kind === "hardlink") linkSync(join(outside, "kept"), path)
    if (kind === "fifo") execFileSync("mkfifo", [path])
    if (isYoung && (kind === "file" || kind === "fifo")) utimesSync(path, youngMs / 1000, youngMs / 1000)
  }
}

const checked = <A>(effect: Effect.Effect<A, unknown, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(effect).pipe(Effect.provide(TestClock.layer())))

it("a dry sweep changes nothing and answers exactly what the sweep then does; what is known, young or outside stays", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 16 }),
      fc.uniqueArray(fc.nat({ max: 40 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      (entries, chosen, limitPerTick) =>
        checked(Effect.gen(function*() {
          const { dataRoot, outside, store } = yield* makeFixture()
          mkdirSync(outside)
          writeFileSync(join(outside, "kept"), "kept")
          mkdirSync(dataRoot, { mode: 0o700 })
          const now = new Date().getTime() + 2 * hourMs
          const youngMs = now - hourMs / 2
          make(dataRoot, outside, entries, youngMs)
          yield* TestClock.setTime(now)
          const before = treeOf(dataRoot)
          const knownPaths = chosen.flatMap((index) => before[index] === undefined ? [] : [`data/${before[index].replace(/\/$/, "")}`])
          const known = new Set(knownPaths)
          const isYoung = (path: string): boolean => lstatSync(join(dataRoot, path)).mtimeMs > now - hourMs
          const isHeld = (path: string): boolean =>
            !path.includes(".steno-write-") && knownPaths.some((folder) => `data/${path}`.startsWith(`${folder}/`))
          const held = before.filter((path) => isYoung(path) || isHeld(path))
          const options = { known: (path: string) => known.has(path), limitPerTick }

          const dry = yield* store.sweep({ ...options, dryRun: true })
          expect(treeOf(dataRoot)).toEqual(before)
          expect(yield* store.sweep(options)).toEqual(dry)

          const after = treeOf(dataRoot)
          const gone = before.filter((path) => !after.includes(path))
          expect(gone.filter((path) => path.endsWith("/"))).toHaveLength(dry.folders)
          expect(gone.filter((path) => !path.endsWith("/"))).toHaveLength(dry.files)
          const isGone = (path: string): boolean => gone.includes(path.slice(5)) || gone.includes(`${path.slice(5)}/`)
          expect(knownPaths.filter(isGone)).toEqual([])
          expect(held.filter((path) => gone.includes(path))).toEqual([])
          expect(treeOf(outside)).toEqual(["kept"])
          const none = { files: 0, folders: 0, allocatedBytes: 0, apparentBytes: 0, faults: [] }
          expect(yield* store.sweep(options)).toEqual(none)
        }))
    ),
    { numRuns: 30 }
  ))

it("the size of a Session is exactly what its removal answers", () =>
  fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 16 }), (entries) =>
      checked(Effect.gen(function*() {
        const { dataRoot, outside, store } = yield* makeFixture()
        mkdirSync(outside)
        writeFileSync(join(outside, "kept"), "kept")
        mkdirSync(dataRoot, { mode: 0o700 })
        const inSession = entries.map((one) => ({ ...one, top: "conversations" as const, parts: ["a" as const, ...one.parts] }))
        make(dataRoot, outside, inSession, 1)
        const usage = yield* store.usage("a")
        expect(yield* store.remove("a")).toEqual(usage)
        expect(treeOf(dataRoot).filter((path) => path !== "conversations/")).toEqual([])
        expect(treeOf(outside)).toEqual(["kept"])
      }))),
    { numRuns: 30 }
  ))
