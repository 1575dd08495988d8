import { expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, rmdirSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { StorageOperation } from "../src/testing.ts"
import { call, callFolder, conversationId, makeFixture, tagOf, treeOf } from "./store-fixture.ts"

const content = randomBytes(700_000)
const file = { owner: call, name: "result.json", category: "payload", content } as const

const collect = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
  Effect.map(Stream.runCollect(bytes), (chunks) => Buffer.concat([...chunks]))

/** A call's folder that is replaced by a link to `outside` before an operation comes the first time, for what `isIt` names. */
const makeRace = Effect.fnUntraced(function*(operation: StorageOperation, isIt: (path: string) => boolean = () => true) {
  const fixture = yield* makeFixture("descriptor")
  const { home, outside } = fixture
  const folder = join(home, callFolder)
  const moved = join(home, "moved")
  mkdirSync(outside, { mode: 0o700 })
  let isDone = false
  const arm = () => {
    fixture.step = (next, path) => {
      if (isDone || next !== operation || !isIt(path)) return
      isDone = true
      renameSync(folder, moved)
      symlinkSync(outside, folder)
    }
  }
  return { ...fixture, folder, moved, arm, isDone: () => isDone }
})

it.effect.each([["create"], ["write"], ["link"], ["unlink"]] as const)("a folder replaced by a link before %s of a write: refused, nothing outside, nothing left", ([operation]) =>
  Effect.gen(function*() {
    const race = yield* makeRace(operation)
    race.arm()
    expect(yield* tagOf(race.store.write(file))).toBe("SymlinkOnTheWay")
    expect(race.isDone()).toBe(true)
    expect([treeOf(race.outside), treeOf(race.moved)]).toEqual([[], []])
  }))

it.effect("a folder replaced by a link before the file is opened: the bytes are those of the checked folder", () =>
  Effect.gen(function*() {
    const race = yield* makeRace("open")
    const stored = yield* race.store.write(file)
    writeFileSync(join(race.outside, "result.json"), randomBytes(700_000))
    race.arm()
    const reader = yield* race.store.open(stored, call)
    expect(race.isDone()).toBe(true)
    expect((yield* collect(reader.range())).equals(content)).toBe(true)
  }))

it.effect("a file replaced between check and read: the bytes are those that were checked", () =>
  Effect.gen(function*() {
    const { home, store } = yield* makeFixture("descriptor")
    const stored = yield* store.write(file)
    const reader = yield* store.open(stored, call)
    const other = join(home, "other")
    writeFileSync(other, randomBytes(700_000))
    renameSync(other, join(home, stored.path))
    expect((yield* collect(reader.range())).equals(content)).toBe(true)
    expect(yield* tagOf(Effect.scoped(store.open(stored, call)))).toBe("DigestMismatch")
  }))

it.effect.each([["overwritten"], ["truncated"]] as const)("a file %s between two steps of a range: what was served is right, the rest fails", ([change]) =>
  Effect.gen(function*() {
    const { home, store } = yield* makeFixture("descriptor")
    const stored = yield* store.write(file)
    const path = join(home, stored.path)
    const reader = yield* store.open(stored, call)
    const served: Array<Uint8Array> = []
    const reading = Stream.runForEach(reader.range(), (bytes) =>
      Effect.sync(() => {
        served.push(bytes)
        if (served.length > 1) return
        if (change === "truncated") return truncateSync(path, 300_000)
        writeFileSync(path, randomBytes(700_000))
        utimesSync(path, 1, 1)
      }))
    expect(yield* tagOf(reading)).toBe("DigestMismatch")
    expect(Buffer.concat(served).equals(content.subarray(0, 262_144))).toBe(true)
    expect(yield* tagOf(collect(reader.range({ length: 1 })))).toBe("DigestMismatch")
  }))

it.effect("a file changed while its digest is computed is refused", () =>
  Effect.gen(function*() {
    const fixture = yield* makeFixture("descriptor")
    const stored = yield* fixture.store.write(file)
    fixture.step = (operation) => {
      if (operation === "read") utimesSync(join(fixture.home, stored.path), 1, 1)
    }
    expect(yield* tagOf(Effect.scoped(fixture.store.open(stored, call)))).toBe("DigestMismatch")
  }))

it.effect("a digest is computed once per file, and again when the file or its times are others", () =>
  Effect.gen(function*() {
    const fixture = yield* makeFixture("descriptor")
    const stored = yield* fixture.store.write(file)
    const path = join(fixture.home, stored.path)
    let reads = 0
    fixture.step = (operation) => {
      if (operation === "read") reads++
    }
    const readsOfOpening = Effect.fnUntraced(function*() {
      reads = 0
      expect(yield* tagOf(Effect.scoped(fixture.store.open(stored, call)))).toBe("ok")
      return reads
    })
    const changed = statSync(path).ctimeMs
    yield* TestClock.setTime(changed + 50)
    expect([yield* readsOfOpening(), yield* readsOfOpening()]).toEqual([3, 3])
    yield* TestClock.setTime(changed + 60_000)
    expect([yield* readsOfOpening(), yield* readsOfOpening()]).toEqual([3, 0])
    utimesSync(path, 1, 1)
    expect([yield* readsOfOpening(), yield* readsOfOpening()]).toEqual([3, 0])
    expect(yield* tagOf(Effect.scoped(fixture.store.open({ ...stored, digest: `sha256:${"0".repeat(64)}` }, call)))).toBe("DigestMismatch")
  }))

it.effect.each([["open-folder"], ["unlink"]] as const)("a folder replaced by a link before %s of a sweep or a removal: nothing outside is touched", ([operation]) =>
  Effect.gen(function*() {
    for (const how of ["sweep", "remove"] as const) {
      const race = yield* makeRace(operation, (path) => path.includes("call_1"))
      yield* race.store.write(file)
      writeFileSync(join(race.outside, "result.json"), "kept")
      race.arm()
      yield* TestClock.setTime(new Date().getTime() + 7_200_000)
      yield* Effect.exit(how === "sweep" ? race.store.sweep({ known: () => false }) : race.store.remove(conversationId))
      expect(race.isDone()).toBe(true)
      expect(readFileSync(join(race.outside, "result.json"), "utf8")).toBe("kept")
      expect(yield* tagOf(race.store.remove(conversationId))).toBe("ok")
      expect(treeOf(race.dataRoot)).toEqual(["conversations/"])
      expect(treeOf(race.outside)).toEqual(["result.json"])
    }
  }))

it.effect("several removals of one Session at once finish it together", () =>
  Effect.gen(function*() {
    const { dataRoot, home, store } = yield* makeFixture()
    yield* store.write(file)
    for (let folder = 0; folder < 40; folder++) {
      const path = join(home, callFolder, `f${folder % 4}`, `g${folder}`, "h")
      mkdirSync(path, { recursive: true })
      for (const name of ["a", "b"]) writeFileSync(join(path, name), name)
    }
    const removed = yield* Effect.all([1, 2, 3].map(() => store.remove(conversationId)), { concurrency: 3 })
    expect(removed.reduce((sum, { files }) => sum + files, 0)).toBe(81)
    expect(removed.reduce((sum, { folders }) => sum + folders, 0)).toBe(87)
    expect(treeOf(dataRoot)).toEqual(["conversations/"])
  }))

it.effect("a folder swept between its opening and its first entry is made again", () =>
  Effect.gen(function*() {
    const fixture = yield* makeFixture()
    let times = 0
    fixture.step = (operation, path) => {
      if (operation === "create" && ++times <= 2) rmdirSync(dirname(path))
    }
    const stored = yield* fixture.store.write(file)
    expect(times).toBe(3)
    expect(treeOf(join(fixture.home, callFolder))).toEqual(["result.json"])
    expect(stored.sizeBytes).toBe(content.length)
  }))

it.effect("a sweep beside running writes takes the old and none of the new", () =>
  Effect.gen(function*() {
    const { dataRoot, home, store } = yield* makeFixture()
    const owners = Array.from({ length: 60 }, (_, index) => ({ ...call, callId: `call_${index}` }))
    for (const owner of owners) yield* store.write({ owner, name: "old", category: "payload", content: Buffer.from("old") })
    const now = new Date().getTime() + 1
    const probe = join(home, "probe")
    do writeFileSync(probe, "x")
    while (statSync(probe).ctimeMs < now + 1)
    yield* TestClock.setTime(now + 7_200_000)
    const sweeping = store.sweep({ known: () => false, olderThanMs: 7_200_000, limitPerTick: 1 })
    const writing = Effect.forEach(owners, (owner) => tagOf(store.write({ ...file, owner, content: Buffer.from("new") })), { concurrency: 4 })
    const [swept, written] = yield* Effect.all([sweeping, writing], { concurrency: 2 })
    expect(written).toEqual(owners.map(() => "ok"))
    expect(swept).toMatchObject({ files: 60, faults: [] })
    expect(treeOf(dataRoot).filter((path) => !path.endsWith("/"))).toEqual(
      owners.map(({ callId }) => `conversations/conv_A/tool-calls/${callId}/result.json`).toSorted()
    )
  }))
