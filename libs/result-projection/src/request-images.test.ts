import { AssetId, type ImageReference } from "@steno/contracts"
import { describe, expect, it } from "vitest"
import { requestParts } from "./request-images.ts"

const image = (last: string): ImageReference => ({
  assetId: AssetId.make(`asset_01JAVW4QKD7QZB2N5T8M3X9C1${last}`),
  mediaType: "image/png"
})
const bytes = new Uint8Array([1, 2, 3])

describe("the parts of a request", () => {
  it("are the text and then the bytes of each image", () => {
    expect(requestParts("text", [image("R")], () => ({ status: "available", bytes }))).toEqual([
      { kind: "text", text: "text" },
      { kind: "image", mediaType: "image/png", bytes }
    ])
  })

  it.each(["missing", "damaged"] as const)("say in words that an image is %s, and keep the others", (status) => {
    const parts = requestParts("", [image("R"), image("S")], (assetId) =>
      assetId === image("R").assetId ? { status } : { status: "available", bytes })
    expect(parts).toEqual([
      { kind: "text", text: `[The image ${image("R").assetId} (image/png) is ${status} and cannot be shown.]` },
      { kind: "image", mediaType: "image/png", bytes }
    ])
  })
})
