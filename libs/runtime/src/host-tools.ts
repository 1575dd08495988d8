/**
 * The tools that tool-call-service runs: shell commands, and the file tools of the catalog.
 *
 * Owns: which kind a call is of, the environment its command inherits, that writers of one file take their places in order.
 * Never owns: running either kind (command-tools, file-tools), what a tool may be asked (tool-catalog).
 * Limits: a person's own command inherits the person's whole environment; a model's goes without the keys that reach models.
 * docs/adr/0036-keep-the-keys-of-models-from-what-models-run.md
 */
import { type CallArguments, CommandArguments, type ProcessIdentity } from "@steno/contracts"
import { RunLedger } from "@steno/ledger"
import { type EndedCall, type EnteredCall, type HostCall, HostTools, ToolDidNotStart } from "@steno/tool-call-service"
import {
  type CheckedCall, checkCall, type FilePlace, FileQueues, type FileTool, hostCommand, isFileCall, subjectsOf, type ToolFault
} from "@steno/tool-catalog"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { type CommandToStart, makeCommandTools } from "./command-tools.ts"
import { makeFileTools } from "./file-tools.ts"
import { PersonEnvironment, withoutProviderKeys } from "./person-environment.ts"

const notStarted = ({ code, message }: Pick<ToolFault, "code" | "message">) => new ToolDidNotStart({ code, explanation: message })

const decodeCommand = Schema.decodeUnknownEffect(CommandArguments)

const typedCommand = (sent: CallArguments) =>
  decodeCommand(sent).pipe(Effect.mapError(({ message }) => notStarted({ code: "invalid-arguments", message })))

const movedFolder = (cwd: string) =>
  notStarted({ code: "path-moved", message: `The folder now leads to ${JSON.stringify(cwd)}, which is not what was judged; nothing was started` })

/** What `bash` of a model starts, in the folder that was judged. */
const askedCommand = Effect.fnUntraced(function*(
  call: CheckedCall<"bash">,
  workspace: string,
  judgedPaths: ReadonlyArray<string> | undefined
): Effect.fn.Return<Omit<CommandToStart, "environment">, ToolDidNotStart> {
  const { env, ...command } = yield* Effect.mapError(hostCommand(call.arguments, workspace), notStarted)
  if (judgedPaths !== undefined && !judgedPaths.includes(command.cwd)) return yield* movedFolder(command.cwd)
  return { ...command, ...(env === undefined ? {} : { variables: env }) }
})

const isCommand = (call: CheckedCall): call is CheckedCall<"bash"> => call.tool === "bash"

const isMutation = (call: CheckedCall<FileTool>): boolean => call.tool === "write" || call.tool === "edit"

const noHostTool = (tool: string) => notStarted({ code: "unknown-tool", message: `${tool} is not run as a tool` })

export const hostToolsLayer = Layer.effect(
  HostTools,
  Effect.gen(function*() {
    const commands = yield* makeCommandTools
    const fileTools = yield* makeFileTools
    const queues = yield* FileQueues
    const runs = yield* RunLedger
    const personal = yield* PersonEnvironment
    const shared = withoutProviderKeys(personal)

    /** A way to the file that cannot be looked at takes no place: the tool then says what is wrong with it. */
    const placeOf = Effect.fnUntraced(function*(call: CheckedCall<FileTool>, workspace: string) {
      const subjects = yield* Effect.option(subjectsOf(call, workspace))
      const path = Option.getOrUndefined(subjects)?.paths[0]?.path
      return path === undefined ? undefined : yield* queues.enter(path)
    })

    const startFileTool = (call: CheckedCall<FileTool>, host: HostCall, place: FilePlace | undefined): EnteredCall["start"] => ({ judgedPaths }) =>
      fileTools.start(call, {
        callId: host.callId,
        conversationId: host.conversationId,
        turnId: host.turnId,
        cwd: host.workspace,
        ...(judgedPaths === undefined ? {} : { judged: judgedPaths }),
        ...(place === undefined ? {} : { place })
      })

    const enter = Effect.fn("HostTools.enter")(function*(host: HostCall) {
      if (host.origin === "user") {
        return {
          start: () => Effect.flatMap(typedCommand(host.arguments), (command) => commands.start(host, { ...command, environment: personal }))
        }
      }
      const checked = checkCall(host.tool, host.arguments)
      if (Result.isFailure(checked)) return { start: () => Effect.fail(notStarted(checked.failure)) }
      const call = checked.success
      if (isCommand(call)) {
        const start: EnteredCall["start"] = ({ judgedPaths }) =>
          Effect.flatMap(askedCommand(call, host.workspace, judgedPaths), (command) => commands.start(host, { ...command, environment: shared }))
        return { start }
      }
      if (!isFileCall(call)) return { start: () => Effect.fail(noHostTool(call.tool)) }
      const place = isMutation(call) ? yield* placeOf(call, host.workspace) : undefined
      const start = startFileTool(call, host, place)
      return place === undefined ? { start } : { start, turn: place.turn }
    })

    /** A Run that cannot be read leaves the place of its files unknown: nothing is removed then. */
    const clear = Effect.fnUntraced(function*({ arguments: sent, callId, runId, tool }: EndedCall) {
      const call = Result.getOrUndefined(checkCall(tool, sent))
      if (call === undefined || !isFileCall(call)) return
      const run = yield* Effect.orElseSucceed(runs.runRow(runId), () => undefined)
      if (run !== undefined) yield* fileTools.clear(call, { callId, cwd: run.workspacePath })
    })

    const recover = Effect.fn("HostTools.recover")(function*(call: EndedCall & { readonly process: ProcessIdentity | undefined }) {
      if (call.origin === "observed") return { ended: [], left: [], ...(yield* commands.suppliedFiles(call)) }
      const swept = yield* commands.sweep(call)
      if (call.tool === "bash") return { ...swept, captured: yield* commands.closeFiles(call) }
      yield* clear(call)
      return swept
    })

    return HostTools.of({ enter, recover })
  })
)
