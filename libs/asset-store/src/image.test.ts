import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { assetLimits } from "./asset-limits.ts"
import { recogniseImage } from "./image.ts"
import { gifBytes, jpegBytes, pngBytes, webpBytes } from "./testing.ts"

const reasonOf = (bytes: Uint8Array) => {
  const found = recogniseImage(bytes)
  return Result.isSuccess(found) ? found.success : { ...found.failure }
}
const padded = (bytes: Uint8Array, sizeBytes: number) => Buffer.concat([bytes, Buffer.alloc(sizeBytes - bytes.length)])

describe("an image", () => {
  it.each([
    ["image/png", "png", pngBytes],
    ["image/jpeg", "jpg", jpegBytes],
    ["image/gif", "gif", gifBytes],
    ["image/webp", "webp", webpBytes]
  ] as const)("of %s is known by its first bytes, with its size in pixels", (mediaType, extension, make) => {
    expect(reasonOf(make(640, 480))).toEqual({ mediaType, extension, width: 640, height: 480 })
  })

  it.each([
    ["html", Buffer.from("<!doctype html><script>alert(1)</script>")],
    ["svg", Buffer.from("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>")],
    ["svg with a preamble", Buffer.from("<?xml version=\"1.0\"?><svg/>")],
    ["html behind a BOM", Buffer.from("\ufeff<html>")],
    ["a bitmap", Buffer.from("BM\0\0\0\0")],
    ["nothing", new Uint8Array()],
    ["half of a signature", pngBytes(1, 1).subarray(0, 7)],
    ["a png signature before html", Buffer.concat([pngBytes(1, 1).subarray(0, 8), Buffer.from("<html>".repeat(100))])],
    ["a jpeg without a size", Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(2_000_000)])],
    ["a png of no width", pngBytes(0, 10)],
    ["a cut webp", webpBytes(10, 10).subarray(0, 18)]
  ])("is not %s", (_, bytes) => {
    expect(reasonOf(bytes)).toMatchObject({ _tag: "NotAnImage" })
  })

  it("has at most 20 MB", () => {
    expect(reasonOf(padded(pngBytes(10, 10), assetLimits.imageBytes))).toMatchObject({ mediaType: "image/png" })
    expect(reasonOf(padded(pngBytes(10, 10), assetLimits.imageBytes + 1))).toMatchObject({
      _tag: "ImageTooLarge",
      measure: "bytes",
      found: 20_000_001,
      limit: 20_000_000
    })
  })

  it("has at most 50 megapixels", () => {
    expect(reasonOf(pngBytes(10_000, 5_000))).toMatchObject({ width: 10_000, height: 5_000 })
    expect(reasonOf(pngBytes(10_000, 5_001))).toMatchObject({ _tag: "ImageTooLarge", measure: "pixels", found: 50_010_000 })
    expect(reasonOf(pngBytes(0x7fff_ffff, 0x7fff_ffff))).toMatchObject({ _tag: "ImageTooLarge", measure: "pixels" })
  })
})
