import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { appendFileSync, chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, unlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { call, callFolder, conversationId, launch, makeFixture, session, tagOf, treeOf } from "../tests/store-fixture.ts"
import { type AssetOwner, AssetStoreError, StorageFailed } from "./index.ts"
import { pngBytes } from "./testing.ts"

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`

const collect = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
  Effect.map(Stream.runCollect(bytes), (chunks) => Buffer.concat([...chunks]))

const payload = Buffer.from("{\"answer\":42}")
const write = (name: string, content: Uint8Array = payload) =>
  ({ owner: call, name, category: "payload", content, mediaType: "application/json" }) as const

const hourMs = 3_600_000
const later = Effect.suspend(() => TestClock.setTime(new Date().getTime() + 2 * hourMs))

describe.each([["descriptor"], ["path"]] as const)("a store with %s access", (access) => {
  it.effect("answers path, digest and size of what lies on the disk, private to its owner", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const stored = yield* store.write(write("images/one.json"))
      expect(stored).toEqual({
        path: `${callFolder}/images/one.json`,
        category: "payload",
        digest: digestOf(payload),
        sizeBytes: payload.length,
        mediaType: "application/json"
      })
      expect(readFileSync(join(home, stored.path))).toEqual(payload)
      expect(statSync(join(home, stored.path)).mode & 0o777).toBe(0o600)
      for (const folder of ["data", "data/conversations", callFolder, `${callFolder}/images`]) {
        expect(statSync(join(home, folder)).mode & 0o777).toBe(0o700)
      }
      expect(treeOf(join(home, callFolder))).toEqual(["images/", "images/one.json"])
    }))

  it.effect("puts reports and launches where they belong", () =>
    Effect.gen(function*() {
      const { store } = yield* makeFixture(access)
      const report = yield* store.write({ owner: session, name: "turn_1.md", category: "report", content: payload })
      const file = yield* store.write({ owner: launch, name: "launch.json", category: "payload", content: payload })
      expect([report.path, file.path]).toEqual([
        "data/conversations/conv_A/reports/turn_1.md",
        "data/launches/launch_1/launch.json"
      ])
      expect(report).not.toHaveProperty("mediaType")
    }))

  it.effect("reads any range of a streamed file of several steps, byte-exact and never as one piece", () =>
    Effect.gen(function*() {
      const { store } = yield* makeFixture(access)
      const bytes = randomBytes(1_000_003)
      const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 700_000), new Uint8Array(0), bytes.subarray(700_000)]
      const stored = yield* store.write({ ...write("big"), content: Stream.fromIterable(pieces) })
      expect(stored).toMatchObject({ digest: digestOf(bytes), sizeBytes: bytes.length })
      const reader = yield* store.open(stored, call)
      const chunks = yield* Stream.runCollect(reader.range())
      expect(Buffer.concat([...chunks]).equals(bytes)).toBe(true)
      expect(Math.max(...[...chunks].map((chunk) => chunk.length))).toBe(262_144)
      for (const [offset, length] of [[0, 1], [262_143, 2], [500_000, 500_003], [1_000_003, 0]] as const) {
        expect((yield* collect(reader.range({ offset, length }))).equals(bytes.subarray(offset, offset + length))).toBe(true)
      }
      expect((yield* collect(reader.range({ offset: 1_000_000 }))).equals(bytes.subarray(1_000_000))).toBe(true)
    }))

  it.effect("fills a block from any position of an open file, short only at its end", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const content = randomBytes(1_000)
      const stored = yield* store.write(write("block", content))
      const reader = yield* store.open(stored, call)
      const block = new Uint8Array(300)
      expect(yield* reader.read(block, 650)).toBe(300)
      expect(content.subarray(650, 950).equals(block)).toBe(true)
      expect(yield* reader.read(block, 900)).toBe(100)
      expect(content.subarray(900).equals(block.subarray(0, 100))).toBe(true)
      expect([yield* reader.read(block, 1_000), yield* reader.read(block, 5_000)]).toEqual([0, 0])
      expect(yield* tagOf(reader.read(block, -1))).toBe("RangeInvalid")
      const again = yield* store.open(stored, call)
      expect(again.identity).toBe(reader.identity)
      appendFileSync(join(home, stored.path), Buffer.alloc(512))
      expect(yield* tagOf(reader.read(block, 0))).toBe("DigestMismatch")
    }))

  it.effect("keeps an image under its digest with the type of its bytes, equal bytes once per owner", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const bytes = pngBytes(640, 480)
      const digest = createHash("sha256").update(bytes).digest("hex")
      const images = yield* Effect.all([1, 2, 3].map(() => store.writeImage({ owner: call, bytes })), { concurrency: "unbounded" })
      const expected = {
        path: `${callFolder}/images/${digest}.png`,
        digest: `sha256:${digest}`,
        sizeBytes: bytes.length,
        category: "image",
        mediaType: "image/png",
        width: 640,
        height: 480
      }
      expect(images).toEqual([expected, expected, expected])
      expect(readdirSync(join(home, callFolder, "images"))).toEqual([`${digest}.png`])
      expect(statSync(join(home, expected.path)).mode & 0o777).toBe(0o600)
      const other = yield* store.writeImage({ owner: { ...call, callId: "call_2" }, bytes })
      expect(other.path).not.toBe(expected.path)
      writeFileSync(join(home, expected.path), Buffer.alloc(bytes.length))
      expect(yield* tagOf(store.writeImage({ owner: call, bytes }))).toBe("DigestMismatch")
    }))

  it.effect("refuses a declared png with html in it, leaving nothing", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const bytes = Buffer.from("<!doctype html><script>alert(1)</script>")
      expect(yield* tagOf(store.writeImage({ owner: call, bytes }))).toBe("NotAnImage")
      expect(yield* tagOf(store.writeImage({ owner: call, bytes: pngBytes(100_000, 100_000) }))).toBe("ImageTooLarge")
      expect(treeOf(home)).toEqual([])
    }))

  it.effect.each([["bytes"], ["stream"]] as const)("content in %s that the owner has already is not stored again; a damaged file does not count", ([kind]) =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const bytes = randomBytes(600_000)
      const content = kind === "bytes" ? bytes : Stream.fromIterable([bytes.subarray(0, 7), bytes.subarray(7)])
      const first = yield* store.write(write("first", bytes))
      const again = { ...write("again", bytes), content, alreadyStored: [first] }
      expect(yield* store.write(again)).toEqual(first)
      expect(yield* store.write({ ...again, name: "other", content: randomBytes(600_000) })).toMatchObject({ path: `${callFolder}/other` })
      expect(readdirSync(join(home, callFolder)).toSorted()).toEqual(["first", "other"])
      const foreign = yield* store.write({ ...again, owner: { ...call, callId: "call_2" } })
      expect(foreign.path).toBe("data/conversations/conv_A/tool-calls/call_2/again")
      writeFileSync(join(home, first.path), randomBytes(600_000))
      expect(yield* store.write(again)).toEqual({ ...first, path: `${callFolder}/again` })
    }))

  it.effect("keeps an empty file", () =>
    Effect.gen(function*() {
      const { store } = yield* makeFixture(access)
      const reader = yield* store.open(yield* store.write(write("empty", new Uint8Array(0))), call)
      expect(yield* collect(reader.range())).toHaveLength(0)
    }))

  it.effect("refuses a range that is not inside the file", () =>
    Effect.gen(function*() {
      const { store } = yield* makeFixture(access)
      const reader = yield* store.open(yield* store.write(write("one")), call)
      const ranges = [{ offset: -1 }, { offset: 14 }, { offset: 5, length: 9 }, { length: 0.5 }, { offset: Number.NaN }, { length: -1 }]
      for (const range of ranges) expect(yield* tagOf(collect(reader.range(range)))).toBe("RangeInvalid")
    }))

  it.effect("serves nothing of a reader whose scope is closed", () =>
    Effect.gen(function*() {
      const { store } = yield* makeFixture(access)
      const stored = yield* store.write(write("one"))
      const reader = yield* Effect.scoped(store.open(stored, call))
      expect(yield* tagOf(collect(reader.range()))).toBe("StorageFailed")
    }))

  it.effect("makes the folder of an owner, once and again, of real folders closed to others", () =>
    Effect.gen(function*() {
      const { dataRoot, home, outside, store } = yield* makeFixture(access)
      for (const attempt of [1, 2]) expect(yield* store.makeFolder(call), `attempt ${attempt}`).toBe(join(home, callFolder))
      for (const folder of [dataRoot, join(home, callFolder)]) expect(statSync(folder).mode & 0o777).toBe(0o700)
      mkdirSync(outside)
      symlinkSync(outside, join(dataRoot, "launches"))
      expect(yield* tagOf(store.makeFolder(launch))).toBe("SymlinkOnTheWay")
      expect(treeOf(outside)).toEqual([])
    }))

  it.effect.each([["../../etc/passwd"], ["..", ], ["a/b"], [""], ["/etc/passwd"]] as const)("writes and makes nothing, anywhere, for the id or name %j", ([id]) =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const owners: ReadonlyArray<AssetOwner> = [
        { kind: "call", conversationId: id, callId: "call_1" },
        { kind: "call", conversationId, callId: id },
        { kind: "session", conversationId: id },
        { kind: "launch", launchId: id }
      ]
      for (const owner of owners) {
        expect(yield* tagOf(store.write({ ...write("x"), owner }))).toBe("InvalidName")
        expect(yield* tagOf(store.makeFolder(owner))).toBe("InvalidName")
        expect(yield* tagOf(store.writeImage({ owner, bytes: pngBytes(1, 1) }))).toBe("InvalidName")
      }
      if (id !== "a/b") expect(yield* tagOf(store.write(write(id)))).toBe("InvalidName")
      expect(yield* tagOf(store.remove(id))).toBe("InvalidName")
      expect(treeOf(home)).toEqual([])
    }))

  it.effect("writes a name once; the first content stays", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const stored = yield* store.write(write("one"))
      expect(yield* tagOf(store.write(write("one", Buffer.from("other"))))).toBe("AlreadyExists")
      expect(readFileSync(join(home, stored.path))).toEqual(payload)
      expect(treeOf(join(home, callFolder))).toEqual(["one"])
    }))

  it.effect("lets one of many writers of a name win, whole", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const contents = Array.from({ length: 8 }, (_, index) => randomBytes(300_000 + index))
      const tags = yield* Effect.forEach(contents, (content) => tagOf(store.write(write("one", content))), { concurrency: 8 })
      expect(tags.toSorted()).toEqual([...Array.from({ length: 7 }, () => "AlreadyExists"), "ok"])
      const winner = contents[tags.indexOf("ok")]
      expect(readFileSync(join(home, callFolder, "one")).equals(winner ?? Buffer.from(""))).toBe(true)
      expect(treeOf(join(home, callFolder))).toEqual(["one"])
    }))

  it.effect("leaves nothing of a write whose content fails, and passes that failure on", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const content = Stream.concat(Stream.succeed(payload), Stream.fail("the source broke" as const))
      expect(yield* Effect.flip(store.write({ ...write("one"), content }))).toBe("the source broke")
      expect(treeOf(join(home, callFolder))).toEqual([])
    }))

  it.effect("leaves nothing of a write that is interrupted", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const waiting = Promise.withResolvers<void>()
      const stuck = Stream.fromEffect(Effect.andThen(Effect.sync(() => waiting.resolve()), Effect.never))
      const fiber = yield* Effect.forkChild(store.write({ ...write("one"), content: Stream.concat(Stream.succeed(payload), stuck) }))
      yield* Effect.promise(() => waiting.promise)
      expect(treeOf(join(home, callFolder))).toHaveLength(1)
      yield* Fiber.interrupt(fiber)
      expect(treeOf(join(home, callFolder))).toEqual([])
    }))

  it.effect("refuses a wrong digest, a wrong length, another owner, a missing file", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const stored = yield* store.write(write("one"))
      const open = (change: object, owner: AssetOwner = call) => tagOf(Effect.scoped(store.open({ ...stored, ...change }, owner)))
      expect(yield* open({})).toBe("ok")
      expect(yield* open({ digest: digestOf(Buffer.from("x")) })).toBe("DigestMismatch")
      expect(yield* open({ sizeBytes: stored.sizeBytes + 1 })).toBe("DigestMismatch")
      expect(yield* open({}, { ...call, callId: "call_2" })).toBe("ForeignOwner")
      expect(yield* open({}, { ...call, callId: "call" })).toBe("ForeignOwner")
      expect(yield* open({}, session)).toBe("ForeignOwner")
      expect(yield* open({}, { ...call, callId: "../call_1" })).toBe("InvalidName")
      expect(yield* open({ path: `${callFolder}/two` })).toBe("NotFound")
      expect(yield* open({ path: `${callFolder}/../call_1/one` })).toBe("InvalidName")
      expect(yield* open({ path: callFolder })).toBe("ForeignOwner")
      truncateSync(join(home, stored.path), 3)
      expect(yield* open({})).toBe("DigestMismatch")
      unlinkSync(join(home, stored.path))
      expect(yield* open({})).toBe("NotFound")
    }))

  it.effect("refuses links, folders and special files under the name, without waiting for a writer of a fifo", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const stored = yield* store.write(write("one"))
      const place = (name: string) => join(home, callFolder, name)
      symlinkSync(place("one"), place("link"))
      mkdirSync(place("folder"))
      execFileSync("mkfifo", [place("fifo")])
      const open = (name: string) => tagOf(Effect.scoped(store.open({ ...stored, path: `${callFolder}/${name}` }, call)))
      expect(yield* open("link")).toBe("SymlinkOnTheWay")
      expect(yield* open("folder")).toBe("NotRegular")
      expect(yield* open("fifo")).toBe("NotRegular")
      expect(yield* open("one/inside")).toBe("NotRegular")
      for (const name of ["link", "folder", "fifo"]) expect(yield* tagOf(store.write(write(name)))).toBe("AlreadyExists")
    }))

  it.effect("follows no link in place of any folder, the data root included", () =>
    Effect.gen(function*() {
      for (const depth of [0, 1, 2, 3, 4]) {
        const { home, outside, store } = yield* makeFixture(access)
        mkdirSync(outside, { mode: 0o700 })
        const parts = callFolder.split("/")
        if (depth > 0) mkdirSync(join(home, ...parts.slice(0, depth)), { recursive: true, mode: 0o700 })
        symlinkSync(outside, join(home, ...parts.slice(0, depth + 1)))
        expect(yield* tagOf(store.write(write("one")))).toBe("SymlinkOnTheWay")
        expect(yield* tagOf(Effect.scoped(store.open({ path: `${callFolder}/one`, digest: "", sizeBytes: 0 }, call)))).toBe("SymlinkOnTheWay")
        expect(treeOf(outside)).toEqual([])
      }
    }))

  it.effect("refuses a data root that others can reach, and leaves its mode", () =>
    Effect.gen(function*() {
      const { dataRoot, store } = yield* makeFixture(access)
      yield* store.write(write("one"))
      chmodSync(dataRoot, 0o750)
      const error = yield* Effect.flip(store.write(write("two")))
      expect(error.message).toBe(`${dataRoot} is open to other users (mode 750); close it with chmod 700`)
      expect(statSync(dataRoot).mode & 0o777).toBe(0o750)
    }))

  it.effect("removes a Session whole: links as links, special files, names that are no UTF-8, deep folders; nothing outside", () =>
    Effect.gen(function*() {
      const { home, outside, store } = yield* makeFixture(access)
      const depth = access === "descriptor" ? 1_200 : 60
      mkdirSync(outside)
      writeFileSync(join(outside, "kept"), payload)
      yield* store.write(write("one", randomBytes(10_000)))
      yield* store.write({ owner: { kind: "session", conversationId: "conv_B" }, name: "kept", category: "report", content: payload })
      const folder = join(home, callFolder)
      symlinkSync(outside, join(folder, "link"))
      symlinkSync("/nowhere", join(folder, "broken"))
      execFileSync("mkfifo", [join(folder, "fifo")])
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), "x")
      execFileSync("mkdir", ["-p", Array.from({ length: depth }, () => "d").join("/")], { cwd: folder })
      const before = yield* store.usage(conversationId)
      expect(before).toMatchObject({ files: 5, folders: 3 + depth })
      expect(yield* store.remove(conversationId)).toEqual(before)
      expect(treeOf(home)).toEqual([
        "data/", "data/conversations/", "data/conversations/conv_B/", "data/conversations/conv_B/reports/",
        "data/conversations/conv_B/reports/kept", "outside/", "outside/kept"
      ])
      expect(yield* store.remove(conversationId)).toEqual({ files: 0, folders: 0, allocatedBytes: 0, apparentBytes: 0 })
    }))

  it.effect("counts the bytes of a file with several names once, and its names each", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      const { path } = yield* store.write(write("one", randomBytes(10_000)))
      linkSync(join(home, path), join(home, callFolder, "two"))
      const usage = yield* store.usage(conversationId)
      expect(usage).toMatchObject({ files: 2, apparentBytes: 10_000 })
      expect(yield* store.remove(conversationId)).toEqual(usage)
    }))

  it.effect("removes a link in place of a Session's folder and leaves what it points at", () =>
    Effect.gen(function*() {
      const { dataRoot, outside, store } = yield* makeFixture(access)
      yield* store.write({ ...write("one"), owner: launch })
      mkdirSync(outside)
      writeFileSync(join(outside, "kept"), payload)
      mkdirSync(join(dataRoot, "conversations"))
      symlinkSync(outside, join(dataRoot, "conversations", conversationId))
      expect(yield* store.remove(conversationId)).toMatchObject({ files: 1, folders: 0 })
      expect(treeOf(outside)).toEqual(["kept"])
      expect(treeOf(join(dataRoot, "conversations"))).toEqual([])
    }))

  it.effect("a home without data has nothing to read, sweep, count or remove, and stays as it is", () =>
    Effect.gen(function*() {
      const { home, store } = yield* makeFixture(access)
      expect(yield* tagOf(Effect.scoped(store.open({ path: `${callFolder}/one`, digest: "", sizeBytes: 0 }, call)))).toBe("NotFound")
      expect(yield* store.sweep({ known: () => false })).toMatchObject({ files: 0, faults: [] })
      expect(yield* store.remove(conversationId)).toMatchObject({ files: 0 })
      expect(yield* store.checkSpace({ conversationId, usedBytes: 0, minFreeBytes: 0 })).toEqual({ kind: "ok" })
      expect(treeOf(home)).toEqual([])
    }))

  it.effect("a sweep removes old files and folders without rows, and only those", () =>
    Effect.gen(function*() {
      const { home, outside, store } = yield* makeFixture(access)
      mkdirSync(outside)
      writeFileSync(join(outside, "kept"), payload)
      const place = (path: string) => join(home, "data", path)
      const owners = ["known", "running", "orphan", "young"].map((callId) => ({ ...call, callId }))
      for (const owner of owners) {
        yield* store.write({ ...write("row.json"), owner })
        yield* store.write({ ...write("files/none"), owner })
      }
      yield* store.write({ ...write("launch.json"), owner: launch })
      symlinkSync(outside, place("conversations/conv_A/tool-calls/orphan/link"))
      execFileSync("mkfifo", [place("conversations/conv_A/tool-calls/orphan/files/fifo")])
      const calls = "conversations/conv_A/tool-calls"
      const temporary = `.steno-write-${"0".repeat(32)}`
      writeFileSync(place(`${calls}/running/${temporary}`), "half")
      writeFileSync(place("harness-qualification.json"), "{}")
      const known = new Set([`data/${calls}/known/row.json`, `data/${calls}/running`])
      const options = { known: (path: string) => known.has(path) }
      yield* later
      const youngUntil = (new Date().getTime() + 2 * hourMs - 600_000) / 1000
      for (const name of ["row.json", "files/none"]) utimesSync(place(`${calls}/young/${name}`), youngUntil, youngUntil)
      const dry = yield* store.sweep({ ...options, dryRun: true })
      expect(dry).toMatchObject({ files: 7, faults: [] })
      expect(yield* store.sweep(options)).toEqual(dry)
      expect(treeOf(join(home, "data"))).toEqual([
        "conversations/", "conversations/conv_A/", `${calls}/`,
        `${calls}/known/`, `${calls}/known/row.json`,
        `${calls}/running/`, `${calls}/running/files/`, `${calls}/running/files/none`, `${calls}/running/row.json`,
        `${calls}/young/`, `${calls}/young/files/`, `${calls}/young/files/none`, `${calls}/young/row.json`,
        "harness-qualification.json", "launches/"
      ].toSorted())
      expect(treeOf(outside)).toEqual(["kept"])
      expect(yield* store.sweep(options)).toMatchObject({ files: 0, folders: 0 })
    }))

  it.effect("says which limit of space is reached, where, how much is free and used; exactly the quota is within it", () =>
    Effect.gen(function*() {
      const { dataRoot, home, store } = yield* makeFixture(access)
      const used = { conversationId, usedBytes: 1_000, minFreeBytes: 0 }
      expect(yield* store.checkSpace({ ...used, sessionQuotaBytes: 1_000 })).toEqual({ kind: "ok" })
      expect(yield* store.checkSpace({ ...used, sessionQuotaBytes: 999 })).toEqual({
        kind: "storage-low",
        limit: "session-quota",
        path: join(dataRoot, "conversations", conversationId),
        freeBytes: expect.any(Number),
        usedBytes: 1_000,
        limitBytes: 999
      })
      expect(yield* store.checkSpace({ ...used, sessionQuotaBytes: 0, minFreeBytes: 2 ** 60 })).toMatchObject({
        kind: "storage-low",
        limit: "min-free",
        path: dataRoot
      })
      expect(treeOf(home)).toEqual([])
    }))

  it.effect("says whether a retry helps", () =>
    Effect.sync(() => {
      const failed = new StorageFailed({ operation: "write", path: "/home/data", code: "EIO" })
      expect(new AssetStoreError({ reason: failed })).toMatchObject({ isRetryable: true, message: "write: EIO on /home/data" })
    }))
})
