/**
 * The parts a request to a model is made of: the text of a projection, then its images.
 *
 * Limits: an image that is missing or damaged becomes a text; it never fails a Turn.
 */
import type { AssetId, ImageReference } from "@steno/contracts"

export type ImageLookup =
  | { readonly status: "available"; readonly bytes: Uint8Array }
  | { readonly status: "missing" | "damaged" }

export type RequestPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mediaType: string; readonly bytes: Uint8Array }

export const requestParts = (
  text: string,
  images: ReadonlyArray<ImageReference>,
  lookUp: (assetId: AssetId) => ImageLookup
): ReadonlyArray<RequestPart> => [
  ...(text === "" ? [] : [{ kind: "text" as const, text }]),
  ...images.map(({ assetId, mediaType }): RequestPart => {
    const found = lookUp(assetId)
    return found.status === "available"
      ? { kind: "image", mediaType, bytes: found.bytes }
      : { kind: "text", text: `[The image ${assetId} (${mediaType}) is ${found.status} and cannot be shown.]` }
  })
]
