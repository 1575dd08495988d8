/** `steno policy show` and `steno policy confirm`: which rules decide about calls in a Workspace, and trusting its own. */
import type { PolicyConfirmation } from "@steno/contracts"
import {
  answerJson, answerProblem, callerPath, ExitCode, exitCodes, HeadlessOutput, jsonFlag, textFlag, visibleLine, WrongUsage
} from "@steno/headless"
import type { PortProblem } from "@steno/projection-port"
import { WorkspacePolicy } from "@steno/runtime"
import { Effect, type Layer, Option } from "effect"
import { Command } from "../cli-engine.ts"
import { policyText } from "./policy-text.ts"

const workspaceFlag = textFlag("workspace", "DIR", "Directory whose rules are meant (default: the current one)")

const workspaceOf = (typed: Option.Option<string>) => callerPath(Option.getOrElse(typed, () => "."))

const show = Effect.fnUntraced(function*(typed: Option.Option<string>, json: boolean) {
  const policy = yield* WorkspacePolicy
  const output = yield* HeadlessOutput
  const exitCode = yield* ExitCode
  const document = yield* policy.show(yield* workspaceOf(typed))
  if (!document.valid) yield* exitCode.set(exitCodes.problem)
  yield* json ? answerJson(document) : output.stdout(policyText(document))
})

const digestForm = /^sha256:[0-9a-f]{64}$/

const digestOf = Effect.fnUntraced(function*(typed: Option.Option<string>) {
  const digest = Option.getOrUndefined(typed)
  if (digest === undefined || digestForm.test(digest)) return digest
  return yield* new WrongUsage({
    explanation: "--digest is sha256: and 64 hexadecimal digits, as `steno policy show` prints it.",
    fields: ["digest"],
    commandPath: ["steno", "policy", "confirm"]
  })
})

/** Ends with a newline. */
const confirmationText = ({ changed, digest, path }: PolicyConfirmation): string =>
  `${changed ? "Confirmed" : "Was confirmed before"}: ${visibleLine(path)}\n  ${digest}\n`

const confirm = Effect.fnUntraced(function*(typed: Option.Option<string>, digest: string | undefined, json: boolean) {
  const policy = yield* WorkspacePolicy
  const output = yield* HeadlessOutput
  const document = yield* policy.confirm(yield* workspaceOf(typed), digest)
  yield* json ? answerJson(document) : output.stdout(confirmationText(document))
})

const showCommand = <R>(openPolicy: Layer.Layer<WorkspacePolicy, PortProblem, R>) =>
  Command.make(
    "show",
    { workspace: workspaceFlag, json: jsonFlag },
    Effect.fn("policy.show")(function*({ json, workspace }) {
      yield* show(workspace, json).pipe(
        Effect.provide(openPolicy),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json }))
      )
    })
  ).pipe(
    Command.withShortDescription("Show which rules decide"),
    Command.withDescription("Shows the layers of rules for calls in a workspace, nearest first, and where they are written. Changes nothing. Exits 1 when a file in force is invalid."),
    Command.withExamples([{ command: "steno policy show" }])
  )

const confirmCommand = <R>(openPolicy: Layer.Layer<WorkspacePolicy, PortProblem, R>) =>
  Command.make(
    "confirm",
    {
      workspace: workspaceFlag,
      digest: textFlag("digest", "D", "Refuse unless the file has this digest, as policy show prints it"),
      json: jsonFlag
    },
    Effect.fn("policy.confirm")(function*({ digest, json, workspace }) {
      const expected = yield* digestOf(digest)
      yield* confirm(workspace, expected, json).pipe(
        Effect.provide(openPolicy),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json }))
      )
    })
  ).pipe(
    Command.withShortDescription("Confirm a workspace's rules"),
    Command.withDescription("Confirms the file .steno/policy.json of a workspace exactly as it is: from now on its rules count, until the file changes."),
    Command.withExamples([{ command: "steno policy confirm" }])
  )

/** @param openPolicy built only when a command runs */
export const policyCommand = <R>(openPolicy: Layer.Layer<WorkspacePolicy, PortProblem, R>) =>
  Command.make("policy").pipe(
    Command.withShortDescription("Show and confirm permission rules"),
    Command.withDescription("Shows which permission rules decide about calls, and confirms those of a workspace."),
    Command.withExamples([{ command: "steno policy show" }]),
    Command.withSubcommands([showCommand(openPolicy), confirmCommand(openPolicy)])
  )
