/** `steno doctor`: what is wrong with a home and its surroundings, each finding with a remedy. */
import type { DoctorDocument, DoctorFinding } from "@steno/contracts"
import { answerJson, answerProblem, countText, ExitCode, exitCodes, HeadlessOutput, jsonFlag, switchFlag, visibleLine } from "@steno/headless"
import type { PortProblem } from "@steno/projection-port"
import { Maintenance } from "@steno/runtime"
import { Effect, type Layer } from "effect"
import { Command } from "../cli-engine.ts"

const severityWidth = "warning".length

const findingText = (finding: DoctorFinding): ReadonlyArray<string> => [
  `${finding.severity.padEnd(severityWidth)}  ${visibleLine(finding.code)}  ${visibleLine(finding.subject)}: ${visibleLine(finding.explanation)}`,
  ...(finding.remediation === undefined ? [] : [`${" ".repeat(severityWidth)}  ${visibleLine(finding.remediation)}`])
]

const verdict = (findings: DoctorDocument["findings"]): string => {
  const count = (severity: DoctorFinding["severity"]) => findings.filter((finding) => finding.severity === severity).length
  const [errors, warnings] = [count("error"), count("warning")]
  return errors + warnings === 0
    ? "Nothing is wrong."
    : `${countText(errors, "error", "errors")}, ${countText(warnings, "warning", "warnings")}.`
}

/** Ends with a newline. */
export const doctorText = ({ findings }: DoctorDocument): string =>
  [...findings.flatMap(findingText), verdict(findings), ""].join("\n")

const examine = Effect.fnUntraced(function*({ json, repair }: { readonly json: boolean; readonly repair: boolean }) {
  const maintenance = yield* Maintenance
  const output = yield* HeadlessOutput
  const exitCode = yield* ExitCode
  const document = yield* repair ? maintenance.repair : maintenance.doctor
  if (document.findings.some(({ severity }) => severity === "error")) yield* exitCode.set(exitCodes.problem)
  yield* json ? answerJson(document) : output.stdout(doctorText(document))
})

/** @param openMaintenance built only when the command runs */
export const doctorCommand = <R>(openMaintenance: Layer.Layer<Maintenance, PortProblem, R>) =>
  Command.make(
    "doctor",
    {
      repair: switchFlag("repair", "Repair a damaged database: keep a copy, save every row that can be read, name what is lost"),
      json: jsonFlag
    },
    Effect.fn("doctor")(function*({ json, repair }) {
      yield* examine({ json, repair }).pipe(
        Effect.provide(openMaintenance),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json }))
      )
    })
  ).pipe(
    Command.withShortDescription("Examine the home"),
    Command.withDescription("Examines the home, its permissions, database and disk, and says how to mend what is wrong. Changes nothing without --repair. Exits 1 when a finding is an error."),
    Command.withExamples([{ command: "steno doctor" }])
  )
