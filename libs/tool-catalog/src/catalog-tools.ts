/**
 * Runs the tools that read, search and change files.
 *
 * Owns: which tools those are, and their way from arguments to a result.
 * Never owns: whether a call may run (permission-policy), its record (tool-call-service), processes (the port `SearchProcess`);
 * `bash`, `ask_user`, `run_done` and `run_failed` are run by whoever owns processes, questions and Runs.
 * Limits: every tool can be interrupted, also where its caller cannot; `write` and `edit` have then changed nothing. Once the new
 * content stands they are not interrupted any more: a caller that cannot be interrupted gets their result.
 */
import type { ToolValues } from "@steno/result-projection"
import { Context, Effect, Layer } from "effect"
import { removeTemporary } from "./atomic-write.ts"
import type { CheckedCall } from "./checked-call.ts"
import { edit } from "./edit-tool.ts"
import { type FileChanges } from "./file-changes.ts"
import { type FileQueues } from "./file-queues.ts"
import { type FileStates } from "./file-states.ts"
import { find } from "./find-tool.ts"
import { grep } from "./grep-tool.ts"
import { ls } from "./ls-tool.ts"
import { read } from "./read-tool.ts"
import { resolvePath } from "./resolved-path.ts"
import { type ResultImages } from "./result-images.ts"
import { type SearchProcess } from "./search-process.ts"
import type { ToolFault } from "./tool-faults.ts"
import type { ToolSite } from "./tool-site.ts"
import { write } from "./write-tool.ts"

const fileTools = ["read", "grep", "find", "ls", "write", "edit"] as const

export type FileTool = typeof fileTools[number]

export const isFileCall = (call: CheckedCall): call is CheckedCall<FileTool> => fileTools.some((name) => name === call.tool)

export type FileToolResult = ToolValues[FileTool]["result"]

type FileToolNeeds = FileChanges | FileStates | FileQueues | SearchProcess | ResultImages

const run = (call: CheckedCall<FileTool>, site: ToolSite): Effect.Effect<FileToolResult, ToolFault, FileToolNeeds> => {
  switch (call.tool) {
    case "read":
      return read(call.arguments, site)
    case "grep":
      return grep(call.arguments, site)
    case "find":
      return find(call.arguments, site)
    case "ls":
      return ls(call.arguments, site)
    case "write":
      return write(call.arguments, site)
    case "edit":
      return edit(call.arguments, site)
  }
}

export class CatalogTools extends Context.Service<CatalogTools, {
  /** Resolves with the whole result, as `projectValue` takes it; fails with what kept the tool from it. */
  readonly run: (call: CheckedCall<FileTool>, site: ToolSite) => Effect.Effect<FileToolResult, ToolFault>
  /** Removes what a call that was cut off may have left beside its file; nothing else. Idempotent. */
  readonly clear: (call: CheckedCall<FileTool>, site: Pick<ToolSite, "callId" | "cwd">) => Effect.Effect<void>
}>()("@steno/tool-catalog/CatalogTools") {
  /** Needs the two ports; share `FileStates`, `FileChanges` and `FileQueues` with whoever ends Sessions, tells of Turns and takes places. */
  static readonly layerNoDeps = Layer.effect(
    CatalogTools,
    Effect.gen(function*() {
      const services = yield* Effect.context<FileToolNeeds>()
      return CatalogTools.of({
        run: Effect.fn("CatalogTools.run")(function*(call, site) {
          const cwd = yield* resolvePath(site.cwd, site.cwd)
          const running = Effect.provide(run(call, { ...site, cwd: cwd.real }), services)
          return yield* call.tool === "write" || call.tool === "edit" ? running : Effect.interruptible(running)
        }),
        clear: Effect.fn("CatalogTools.clear")(function*(call, { callId, cwd }) {
          if (call.tool !== "write" && call.tool !== "edit") return
          yield* Effect.ignore(Effect.flatMap(resolvePath(call.arguments.path, cwd), ({ real }) => removeTemporary(real, callId)))
        })
      })
    })
  )
}
