/**
 * The policy of `read`: the text of a file and where to go on, or an image by reference.
 *
 * Limits: at most 200 lines of content; the path stays in the arguments, where the model wrote it.
 */
import { argumentLines } from "./argument-lines.ts"
import { type Candidate, makeCandidate, textBlock } from "./candidate.ts"
import { firstLinesOf, firstOf, withImages } from "./card-lines.ts"
import { countWords } from "./process-status.ts"
import { profiles } from "./profiles.ts"
import type { ReadArguments, ReadResult } from "./tool-results.ts"
import { byStrategy, type CardSides, type ValuePolicy } from "./tool-policy.ts"

type ReadText = Extract<ReadResult, { readonly kind: "text" }>

const lineCount = (content: string): number => content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0)

const linesFooter = ({ content, firstLine, nextLine, totalLines }: ReadText): string => {
  const count = lineCount(content)
  if (count === 0) return `[no lines from ${firstLine}; the file has ${countWords(totalLines, "line", "lines")}]`
  const goOn = nextLine === undefined ? "" : `; continue at offset ${nextLine}`
  return `[lines ${firstLine}–${firstLine + count - 1} of ${totalLines}${goOn}]`
}

const bytesCandidate = (
  { content, notes }: ReadText,
  { from, to, total }: NonNullable<ReadText["bytes"]>
): Candidate =>
  makeCandidate({
    status: notes ?? [],
    blocks: [textBlock(content)],
    footer: `[bytes ${from}–${to - 1} of ${total}${to < total ? `; continue at byte ${to}` : ""}]`,
    continuation: to < total ? [{ kind: "byte", value: to }] : [],
    overflow: { noun: "line", plural: "lines", guidance: "Search it with grep, or read fewer bytes." }
  })

const textCandidate = (result: ReadText): Candidate => {
  if (result.bytes !== undefined) return bytesCandidate(result, result.bytes)
  const most = profiles.source_text.contentLines
  const next = result.nextLine ?? (lineCount(result.content) > most ? result.firstLine + most : undefined)
  return makeCandidate({
    status: result.notes ?? [],
    blocks: [textBlock(result.content)],
    footer: linesFooter(result),
    range: { firstLine: result.firstLine, totalLines: result.totalLines },
    continuation: next === undefined ? [] : [{ kind: "line", value: next }]
  })
}

const candidate = (result: ReadResult): Candidate =>
  result.kind === "text"
    ? textCandidate(result)
    : makeCandidate({
      status: [`Image: ${result.image.mediaType}${
        result.image.sizeBytes === undefined ? "" : `, ${countWords(result.image.sizeBytes, "byte", "bytes")}`
      }.`],
      blocks: [{ kind: "image", image: result.image }]
    })

const card = ({ limit, offset, path }: ReadArguments, result: ReadResult | undefined): CardSides => ({
  arguments: firstOf(argumentLines({ path, offset, limit }), "lines"),
  result: result === undefined
    ? firstOf([], "lines")
    : result.kind === "text"
    ? firstLinesOf(result.content)
    : withImages(firstOf([], "lines"), [result.image.assetId]),
  first: "arguments"
})

export const readPolicy: ValuePolicy<ReadArguments, ReadResult> = {
  kind: "value",
  profiles: ["source_text"],
  view: byStrategy("source_text", "continuation-aware", candidate),
  card
}
