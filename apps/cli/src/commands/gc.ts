/** `steno gc`: removes old Runs and files that belong to none. */
import type { GcDocument } from "@steno/contracts"
import { answerJson, answerProblem, byteText, countText, HeadlessOutput, jsonFlag, switchFlag, WrongUsage } from "@steno/headless"
import type { PortProblem } from "@steno/projection-port"
import { type GcOptions, Maintenance } from "@steno/runtime"
import { Effect, type Layer, Option } from "effect"
import { Command, Flag } from "../cli-engine.ts"
import { parseAge } from "./age.ts"

const config = {
  olderThan: Flag.String("older-than").pipe(
    Flag.withMetavar("D"),
    Flag.withDescription("Only Runs that came to rest so long ago: 30d or 12h (default: the home's retention setting)"),
    Flag.optional
  ),
  dryRun: switchFlag("dry-run", "Remove nothing and say what would be removed"),
  json: jsonFlag
}

const amount = ({ bytes, runs }: GcDocument["removed"]): string => `${countText(runs, "Run", "Runs")}, ${byteText(bytes)}`

/** Ends with a newline. */
export const gcText = ({ dryRun, kept, removed }: GcDocument): string =>
  dryRun
    ? `Would remove: ${amount(removed)}\nWould keep:   ${amount(kept)}\n`
    : `Removed: ${amount(removed)}\nKept:    ${amount(kept)}\n`

const collect = Effect.fnUntraced(function*(options: GcOptions, json: boolean) {
  const maintenance = yield* Maintenance
  const output = yield* HeadlessOutput
  const document = yield* maintenance.gc(options)
  yield* json ? answerJson(document) : output.stdout(gcText(document))
})

const ageOf = Effect.fnUntraced(function*(typed: string) {
  const ageMs = parseAge(typed)
  return ageMs ?? (yield* new WrongUsage({
    explanation: "--older-than is a whole number with d for days or h for hours, such as 30d or 12h.",
    fields: ["older-than"],
    commandPath: ["steno", "gc"]
  }))
})

/** @param openMaintenance built only when the command runs */
export const gcCommand = <R>(openMaintenance: Layer.Layer<Maintenance, PortProblem, R>) =>
  Command.make(
    "gc",
    config,
    Effect.fn("gc")(function*({ dryRun, json, olderThan }) {
      const age = Option.isSome(olderThan) ? { olderThanMs: yield* ageOf(olderThan.value) } : {}
      yield* collect({ ...age, dryRun }, json).pipe(
        Effect.provide(openMaintenance),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json }))
      )
    })
  ).pipe(
    Command.withShortDescription("Remove old Runs"),
    Command.withDescription("Removes Runs that came to rest long enough ago, with their files, and files that belong to no Run. A Run that is live is kept."),
    Command.withExamples([{ command: "steno gc --older-than 30d --dry-run" }])
  )
