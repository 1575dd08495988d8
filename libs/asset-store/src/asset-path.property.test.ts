import { describe, expect, it } from "@effect/vitest"
import { callFolder, CallId, ConversationId } from "@steno/contracts"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { posix } from "node:path"
import { type AssetOwner, checkName, ownedPath, ownerFolder, placeOf } from "./asset-path.ts"

const awkward = fc.constantFrom(
  "..", ".", "", "/", "a", "etc", "passwd", "\\", "C:", "\0", "\ud800", "…", " ", "~", "%2e%2e", "..\\", "x".repeat(256),
  `.steno-write-${"a".repeat(32)}`, "call_1", "data", "conversations"
)
const name = fc.oneof(
  fc.array(fc.oneof(awkward, fc.string({ maxLength: 8 })), { maxLength: 8 }).map((parts) => parts.join("/")),
  fc.array(awkward, { maxLength: 5 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" })
)
const id = fc.oneof(awkward, fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), fc.string())
const owner: fc.Arbitrary<AssetOwner> = fc.oneof(
  fc.record({ kind: fc.constant("call" as const), conversationId: id, callId: id }),
  fc.record({ kind: fc.constant("session" as const), conversationId: id }),
  fc.record({ kind: fc.constant("launch" as const), launchId: id })
)

describe("managed paths", () => {
  it("of any owner and name that are accepted stay inside the owner's folder, spelled in one way only", () => {
    fc.assert(fc.property(owner, name, (whose, given) => {
      const place = placeOf(whose, given)
      if (Result.isFailure(place)) return
      const folder = Result.getOrThrow(ownerFolder(whose))
      const { path } = place.success
      expect(path).toBe(`${folder}/${given}`)
      expect(posix.normalize(path)).toBe(path)
      expect(posix.resolve("/home", path).startsWith(`/home/${folder}/`)).toBe(true)
      expect(path).not.toMatch(/[\\\0]/)
      expect(Buffer.from(path).toString()).toBe(path)
      expect(ownedPath(path, whose)).toEqual(place)
    }), { numRuns: 2_000 })
  })

  it("belong to one owner", () => {
    const plain = fc.stringMatching(/^[A-Za-z0-9_-]{1,3}$/)
    const two = fc.record({ kind: fc.constant("call" as const), conversationId: plain, callId: plain })
    fc.assert(fc.property(two, two, plain, (one, other, given) => {
      const { path } = Result.getOrThrow(placeOf(one, given))
      const isSame = one.conversationId === other.conversationId && one.callId === other.callId
      expect(Result.isSuccess(ownedPath(path, other))).toBe(isSame)
    }), { numRuns: 1_000 })
  })

  it.each([
    "../../etc/passwd", "/etc/passwd", "..", ".", "", "a//b", "a/", "a/./b", "a/../b", "a\\b", "C:/a", "c:a", "a\0b", "\udc00",
    "x".repeat(256), "é".repeat(128), Array.from({ length: 600 }, () => "a").join("/"), `a/.steno-write-${"0".repeat(32)}`
  ])("refuse the name %j", (given) => {
    expect(Result.isFailure(checkName(given))).toBe(true)
  })

  it.each(["result.json", "files/a b/ü.txt", "...", "a..b", ".hidden", "-rf", "x".repeat(255)])("accept the name %j", (given) => {
    expect(Result.isSuccess(checkName(given))).toBe(true)
  })

  it("of a call are those that the contracts name", () => {
    const conversationId = Schema.decodeSync(ConversationId)(`conv_${"0".repeat(26)}`)
    const callId = Schema.decodeSync(CallId)(`call_${"0".repeat(26)}`)
    expect(Result.getOrThrow(ownerFolder({ kind: "call", conversationId, callId }))).toBe(callFolder(conversationId, callId))
  })
})
