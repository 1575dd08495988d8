/**
 * What is shown of a result nobody described: its blocks where it has valid ones, else the value as JSON.
 *
 * Limits: keys that look secret and files nobody checked are left out; first lines when it does not fit.
 */
import { ImageReference } from "@steno/contracts"
import { Schema } from "effect"
import { type Block, type Candidate, makeCandidate, textBlock } from "./candidate.ts"
import { genericPreview } from "./card-generic.ts"
import type { RegisteredFile } from "./file-claims.ts"
import { safeValue, wholeValueLimits } from "./safe-value.ts"
import { byStrategy, type ValuePolicy } from "./tool-policy.ts"
import { withoutUrlSecrets } from "./url-secrets.ts"

const isImageReference = Schema.is(ImageReference)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null

const blockOf = (value: unknown): Block | undefined => {
  if (!isRecord(value)) return undefined
  const kind = value["kind"] ?? value["type"]
  if (kind === "text" && typeof value["text"] === "string") return textBlock(withoutUrlSecrets(value["text"]))
  const image = value["image"]
  return kind === "image" && isImageReference(image) ? { kind: "image", image } : undefined
}

/** All or nothing: a list with one entry that is no block is a value like any other. */
const blocksOf = (value: unknown): ReadonlyArray<Block> | undefined => {
  const list = isRecord(value) && !Array.isArray(value) ? value["blocks"] ?? value["content"] : value
  if (!Array.isArray(list) || list.length === 0) return undefined
  const blocks = list.flatMap((inner: unknown) => blockOf(inner) ?? [])
  return blocks.length === list.length ? blocks : undefined
}

const textOf = (value: unknown, registered: ReadonlySet<string>): string => {
  const safe = safeValue(value, wholeValueLimits, registered)
  return typeof safe === "string" ? safe : JSON.stringify(safe, null, 2)
}

const candidate = (value: unknown, files: ReadonlyArray<RegisteredFile>): Candidate =>
  value === undefined
    ? makeCandidate({ status: ["The tool returned nothing."] })
    : makeCandidate({ blocks: blocksOf(value) ?? [textBlock(textOf(value, new Set(files.map(({ path }) => path))))] })

export const fallbackPolicy: ValuePolicy<unknown, unknown> = {
  kind: "value",
  profiles: ["conservative_fallback"],
  view: byStrategy("conservative_fallback", "head", candidate),
  card: (args, result) => ({ arguments: genericPreview(args), result: genericPreview(result), first: "arguments" })
}
