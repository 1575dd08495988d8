/**
 * What counts as an image: its bytes decide, never what somebody declared. Pure.
 *
 * Owns: the first bytes of png, jpeg, gif and webp, the limits of size and of pixels.
 * Never owns: decoding (nobody here does), how an image is served.
 * Limits: at most the first 512 KiB are looked at, so that crafted bytes cannot hold the thread.
 */
import { Option, Result } from "effect"
import { GIF } from "image-size/types/gif"
import { JPG } from "image-size/types/jpg"
import { PNG } from "image-size/types/png"
import { WEBP } from "image-size/types/webp"
import { assetLimits } from "./asset-limits.ts"
import { ImageTooLarge, NotAnImage } from "./asset-store-errors.ts"

export interface ImageFacts {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
  readonly extension: "png" | "jpg" | "gif" | "webp"
  /** Pixels. */
  readonly width: number
  readonly height: number
}

interface Format extends Pick<ImageFacts, "mediaType" | "extension"> {
  /** Latin-1 of the first bytes; `?` stands for any byte. */
  readonly firstBytes: ReadonlyArray<string>
  /** Its size stands within these. */
  readonly headerBytes: number
  readonly sizeOf: (bytes: Uint8Array) => { readonly width: number; readonly height: number }
}

const formats: ReadonlyArray<Format> = [
  { mediaType: "image/png", extension: "png", firstBytes: ["\x89PNG\r\n\x1a\n????IHDR"], headerBytes: 24, sizeOf: PNG.calculate },
  { mediaType: "image/jpeg", extension: "jpg", firstBytes: ["\xff\xd8\xff"], headerBytes: 4, sizeOf: JPG.calculate },
  { mediaType: "image/gif", extension: "gif", firstBytes: ["GIF87a", "GIF89a"], headerBytes: 10, sizeOf: GIF.calculate },
  { mediaType: "image/webp", extension: "webp", firstBytes: ["RIFF????WEBPVP8"], headerBytes: 30, sizeOf: WEBP.calculate }
]

const beginsWith = (bytes: Uint8Array, text: string): boolean =>
  bytes.length >= text.length && Array.from(text).every((one, at) => one === "?" || bytes[at] === one.charCodeAt(0))

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0

/** The bytes as an image, or why they are none. */
export const recogniseImage = (bytes: Uint8Array): Result.Result<ImageFacts, NotAnImage | ImageTooLarge> => {
  const format = formats.find(({ firstBytes }) => firstBytes.some((first) => beginsWith(bytes, first)))
  if (format === undefined) return Result.fail(new NotAnImage({ rule: "it begins as none of png, jpeg, gif and webp" }))
  if (bytes.length > assetLimits.imageBytes) {
    return Result.fail(new ImageTooLarge({ measure: "bytes", found: bytes.length, limit: assetLimits.imageBytes }))
  }
  const { extension, headerBytes, mediaType, sizeOf } = format
  const size = Option.liftThrowable(sizeOf)(bytes.subarray(0, assetLimits.imageHeaderBytes))
  if (bytes.length < headerBytes || Option.isNone(size) || !isCount(size.value.width) || !isCount(size.value.height)) {
    return Result.fail(new NotAnImage({ rule: `it begins as ${mediaType}, but says no size` }))
  }
  const { height, width } = size.value
  return width * height > assetLimits.imagePixels
    ? Result.fail(new ImageTooLarge({ measure: "pixels", found: width * height, limit: assetLimits.imagePixels }))
    : Result.succeed({ mediaType, extension, width, height })
}
