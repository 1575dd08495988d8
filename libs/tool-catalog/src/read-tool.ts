/**
 * `read`: lines of a text file, or an image.
 *
 * Owns: what is text, which lines come back, what this Session has then seen of the file.
 * Limits: one pass over the whole file in blocks, whatever its size, because its lines are counted and its content is remembered;
 * at most 1 MiB of lines come back and at most 20 MB of an image are read.
 */
import type { ReadArguments, ReadResult } from "@steno/result-projection"
import { Effect, Result } from "effect"
import { createHash } from "node:crypto"
import type { FileHandle } from "node:fs/promises"
import { isSameState } from "./atomic-write.ts"
import { fileContent, type FileContent, judgedBytes } from "./file-content.ts"
import { FileStates } from "./file-states.ts"
import { attempt, forEachBlock, statOf, withOpenFile } from "./file-system.ts"
import { imageKind } from "./image-kind.ts"
import { LineWindow, type TakenLines } from "./line-window.ts"
import { notFound, type ResolvedPath } from "./resolved-path.ts"
import { ResultImages } from "./result-images.ts"
import { argumentLimits } from "./tool-arguments.ts"
import { faultOf, ImageNotShown, NotText, TooLarge, type ToolFault, WrongKind } from "./tool-faults.ts"
import { sitePath, type ToolSite } from "./tool-site.ts"

const mostTextBytes = 1024 * 1024
const mostImageBytes = 20_000_000

type TextContent = Extract<FileContent, { readonly kind: "text" }>

const decoded = (bytes: Uint8Array): { readonly text: string; readonly isWhole: boolean } => {
  const exact = Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
  return Result.isSuccess(exact)
    ? { text: exact.success, isWhole: true }
    : { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), isWhole: false }
}

const textResult = (taken: TakenLines, first: number, content: TextContent, isStill: boolean): ReadResult => {
  const { text, isWhole } = decoded(taken.bytes)
  const shown = first === 1 && text.startsWith("\ufeff") ? text.slice(1) : text
  const next = first + taken.lines
  const notes = [
    ...(content.encoding === "utf-8" ? [] : [`Encoding: ${content.encoding.toUpperCase()}.`]),
    ...(content.encoding === "utf-8" && content.markBytes > 0 ? ["The file begins with a byte order mark."] : []),
    ...(isWhole ? [] : ["Bytes that are not UTF-8 are shown as U+FFFD."]),
    ...(shown.includes("\r\n") ? ["Lines end in CRLF."] : []),
    ...(isStill ? [] : ["The file changed while it was read."])
  ]
  return {
    kind: "text",
    content: shown,
    firstLine: first,
    totalLines: taken.totalLines,
    ...(taken.piece === undefined && taken.lines > 0 && next <= taken.totalLines ? { nextLine: next } : {}),
    ...(taken.piece === undefined ? {} : { bytes: { ...taken.piece, total: taken.totalBytes } }),
    ...(notes.length === 0 ? {} : { notes })
  }
}

const readText = Effect.fnUntraced(function*(handle: FileHandle, path: ResolvedPath, args: ReadArguments, content: TextContent) {
  const first = args.offset ?? 1
  const window = new LineWindow(first, args.limit ?? argumentLimits.readLines.default, mostTextBytes)
  const digest = createHash("sha256")
  const decoder = content.encoding === "utf-8" ? undefined : new TextDecoder(content.encoding, { ignoreBOM: true })
  const before = yield* statOf(handle, path.given)
  yield* forEachBlock(handle, path.given, (block) => {
    digest.update(block)
    window.push(decoder === undefined ? block : Buffer.from(decoder.decode(block, { stream: true })))
  })
  const after = yield* statOf(handle, path.given)
  return {
    digest: digest.digest("hex"),
    result: textResult(window.finish(), first, content, isSameState(before, after))
  }
})

const readImage = Effect.fnUntraced(function*(handle: FileHandle, path: ResolvedPath, site: ToolSite) {
  const { size } = yield* statOf(handle, path.given)
  if (size > mostImageBytes) {
    return yield* faultOf(new TooLarge({
      path: path.given,
      sizeBytes: Number(size),
      limitBytes: mostImageBytes,
      advice: "make a smaller copy of the image"
    }))
  }
  const bytes = yield* attempt("read it", path.given, () => handle.readFile())
  const image = yield* Effect.mapError(
    (yield* ResultImages).keep({ conversationId: site.conversationId, callId: site.callId, bytes }),
    ({ explanation }) => faultOf(new ImageNotShown({ path: path.given, explanation }))
  )
  const result: ReadResult = { kind: "image", image }
  return { digest: createHash("sha256").update(bytes).digest("hex"), result }
})

const readOpened = Effect.fnUntraced(function*(handle: FileHandle, path: ResolvedPath, args: ReadArguments, site: ToolSite) {
  const opened = yield* statOf(handle, path.given)
  if (!opened.isFile()) return yield* noFile(path)
  const block = new Uint8Array(judgedBytes)
  const { bytesRead } = yield* attempt("read it", path.given, () => handle.read(block, 0, judgedBytes, 0))
  const first = block.subarray(0, bytesRead)
  if (imageKind(first) !== undefined) return yield* readImage(handle, path, site)
  const content = fileContent(first)
  return content.kind === "binary"
    ? yield* faultOf(new NotText({ path: path.given, found: content.name, sizeBytes: Number(opened.size) }))
    : yield* readText(handle, path, args, content)
})

const noFile = (path: ResolvedPath) =>
  faultOf(
    path.kind === "directory"
      ? new WrongKind({ path: path.given, found: "a folder", advice: "list it with ls" })
      : new WrongKind({ path: path.given, found: "neither a file nor a folder", advice: "only files can be read" })
  )

/** `args` fit their schema. */
export const read = Effect.fn("read")(function*(
  args: ReadArguments,
  site: ToolSite
): Effect.fn.Return<ReadResult, ToolFault, FileStates | ResultImages> {
  const states = yield* FileStates
  const path = yield* sitePath(args.path, site)
  if (path.kind === undefined) {
    yield* states.drop(site.conversationId, path.real)
    return yield* notFound(path, site.cwd)
  }
  if (path.kind !== "file") return yield* noFile(path)
  const { digest, result } = yield* withOpenFile(path.real, (handle) => readOpened(handle, path, args, site))
  yield* states.note(site.conversationId, path.real, digest)
  return result
})
