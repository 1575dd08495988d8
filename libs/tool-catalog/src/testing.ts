/** The ports of the file tools on this machine's own programs and in memory, and a folder that goes with its scope. */
import { AssetId, CallId, ConversationId, type ImageReference, TurnId } from "@steno/contracts"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CatalogTools } from "./catalog-tools.ts"
import { FileChanges } from "./file-changes.ts"
import { FileQueues } from "./file-queues.ts"
import { FileStates } from "./file-states.ts"
import { imageKind } from "./image-kind.ts"
import { ResultImages } from "./result-images.ts"
import { SearchNotRun, SearchProcess } from "./search-process.ts"
import type { ToolSite } from "./tool-site.ts"

/** Starts the program directly; an interrupted run and one whose reader has enough are killed. */
export const spawnedSearchLayer: Layer.Layer<SearchProcess> = Layer.succeed(SearchProcess, {
  run: (command, take) =>
    Effect.callback((resume) => {
      const child = spawn(command.program, command.arguments, { cwd: command.cwd, stdio: ["ignore", "pipe", "pipe"] })
      const stderr: Array<Buffer> = []
      let isWanted = true
      child.on("error", (error) => resume(Effect.fail(new SearchNotRun({ explanation: error.message }))))
      child.stderr.on("data", (block: Buffer) => stderr.push(block))
      child.stdout.on("data", (block: Buffer) => {
        if (!isWanted || take(block)) return
        isWanted = false
        child.kill("SIGKILL")
      })
      child.on("close", (code) => resume(Effect.succeed({ exitCode: code ?? undefined, stderr: Buffer.concat(stderr).toString() })))
      return Effect.callback<void>((gone) => {
        isWanted = false
        child.once("close", () => gone(Effect.void))
        child.kill("SIGKILL")
      })
    })
})

/** Keeps nothing; every image gets the same id. */
export const forgetfulImagesLayer: Layer.Layer<ResultImages> = Layer.succeed(ResultImages, {
  keep: ({ bytes }) =>
    Effect.succeed<ImageReference>({
      assetId: AssetId.make("asset_01JAVW4QKD7QZB2N5T8M3X9C1R"),
      mediaType: imageKind(bytes) ?? "image/none",
      sizeBytes: bytes.length
    })
})

/** The file tools with `FileStates`, `FileChanges` and `FileQueues` of their own. */
export const catalogToolsLayer = CatalogTools.layerNoDeps.pipe(
  Layer.provideMerge(Layer.mergeAll(FileStates.layer, FileChanges.layer, FileQueues.layer, spawnedSearchLayer, forgetfulImagesLayer))
)

/** Ends with its scope. */
export const temporaryWorkspace = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "steno-workspace-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const makeSite = (cwd: string, parts: Partial<ToolSite> = {}): ToolSite => ({
  callId: CallId.make("call_01JAVW4QKD7QZB2N5T8M3X9C1S"),
  conversationId: ConversationId.make("conv_01JAVW4QKD7QZB2N5T8M3X9C1R"),
  turnId: TurnId.make("turn_01JAVW4QKD7QZB2N5T8M3X9C1V"),
  cwd,
  ...parts
})
