/**
 * Looks at the Codex that is installed: where it lies, which version it is, whether its schema has what is used.
 *
 * Owns: the probes and their order, the remedies. No probe sends content or reaches a model.
 * Never owns: keeping the facts (whoever asks for them).
 * Limits: each probe takes at most `harnessLimits.probeMs`, and at most `outputUnits` of what it prints are kept.
 */
import { harnessLimits } from "@steno/contracts"
import {
  HarnessNotExecutable,
  HarnessNotFound,
  HarnessProbeFailed,
  type HarnessProfile,
  HarnessTimedOut,
  HarnessVersionUnsupported,
  PrepareError,
  type PrepareOptions
} from "@steno/harness-seam"
import type { ProcessHost, RunningProgram } from "@steno/process-host"
import { Effect, Schema, type Scope } from "effect"
import { schemaArguments, versionArguments } from "./codex-launch.ts"
import { codexProfileWithout } from "./codex-profile.ts"
import { compareSchema, SchemaComparison, schemaFile } from "./codex-schema.ts"
import { codexVersion, oldestVersion } from "./codex-version.ts"

export interface CodexQualification {
  /** Of the program; absolute. */
  readonly path: string
  readonly version: string
  readonly profile: HarnessProfile
}

/** What the probes found: enough to judge the same program again without starting it, by the same version of Steno. */
export const CodexFacts = Schema.Struct({
  /** What `--version` printed. */
  printedVersion: Schema.String,
  /** Absent where the program did not write its schema. */
  comparison: Schema.optionalKey(SchemaComparison)
})
export type CodexFacts = typeof CodexFacts.Type

/** An empty folder of its own. */
export interface ProbeFolder {
  readonly path: string
  /** Undefined: no such file, or one that cannot be read. */
  readonly read: (file: string) => Effect.Effect<string | undefined>
}

export interface CodexProbes {
  readonly processes: ProcessHost["Service"]
  /** A name on the person's PATH or a path, relative to the workspace, and words that go before Steno's arguments; default `codex`. */
  readonly command?: readonly [program: string, ...words: ReadonlyArray<string>]
  /** Gone with the scope. */
  readonly probeFolder: Effect.Effect<ProbeFolder, never, Scope.Scope>
}

const outputUnits = 64 * 1024
const install = "Install a current Codex, or name its path in the settings."

const fail = (reason: PrepareError["reason"]) => Effect.fail(new PrepareError({ reason }))

/** Decides what `facts` mean. */
export const judgeCodex = (path: string, facts: CodexFacts): Effect.Effect<CodexQualification, PrepareError> => {
  const version = codexVersion(facts.printedVersion)
  if (version === undefined) {
    return fail(new HarnessProbeFailed({ explanation: `${path} does not print a version of Codex`, remedy: install }))
  }
  if (!version.supported) {
    return fail(new HarnessVersionUnsupported({
      explanation: `Codex ${version.text} is older than ${oldestVersion.join(".")}`,
      remedy: install
    }))
  }
  if (facts.comparison === undefined) {
    return fail(new HarnessProbeFailed({ explanation: `Codex ${version.text} did not write its schema`, remedy: install }))
  }
  const { missing, off } = facts.comparison
  if (missing.length > 0) {
    return fail(new HarnessProbeFailed({
      explanation: `Codex ${version.text} speaks another protocol: ${missing.join("; ")}`,
      remedy: `Install a Codex nearer to ${oldestVersion.join(".")}.`
    }))
  }
  return Effect.succeed({ path, version: version.text, profile: codexProfileWithout(off) })
}

/** Resolves with what stdout held when it closed. */
const wholeText = (stdout: RunningProgram["stdout"]): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    let text = ""
    stdout.setEncoding("utf8")
    stdout.on("data", (piece: string) => {
      if (text.length < outputUnits) text += piece
    })
    stdout.once("close", () => resume(Effect.succeed(text)))
  })

const read = (program: RunningProgram) =>
  Effect.suspend(() => {
    program.stderr.resume()
    program.stdin.end()
    return Effect.all([wholeText(program.stdout), program.exited]).pipe(Effect.timeoutOption(harnessLimits.probeMs))
  })

/** What the program prints until it has exited; it is gone then, with all that it started. */
const printed = Effect.fnUntraced(function*(
  probes: CodexProbes,
  { environment, turnId, workspace }: PrepareOptions,
  path: string,
  words: ReadonlyArray<string>
) {
  const marker = { name: "STENO_TURN_ID", value: turnId } as const
  const [, ...leading] = probes.command ?? ["codex"]
  const started = probes.processes.startProgram({ path, arguments: [...leading, ...words], cwd: workspace, marker, environment }).pipe(
    Effect.catch(({ message }) =>
      fail(new HarnessNotExecutable({ explanation: message, remedy: `Make ${path} executable, or install Codex again.` })))
  )
  const outcome = yield* Effect.acquireUseRelease(started, read, (program) =>
    Effect.andThen(program.terminate({ grace: false }), program.release))
  if (outcome._tag === "None") {
    return yield* fail(new HarnessTimedOut({
      explanation: `\`codex ${words[0] ?? ""}\` did not end in time`,
      remedy: "Try again; if it stays so, run the same command by hand."
    }))
  }
  const [text, exit] = outcome.value
  return { text, done: exit.kind === "exited" && exit.code === 0 }
})

const parsed = (text: string | undefined): unknown => {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** Starts the file at `path` and ends it; asks no model. Fails with a remedy where it cannot be started or does not end. */
export const probeCodex = Effect.fn("probeCodex")(function*(probes: CodexProbes, options: PrepareOptions, path: string) {
  const version = yield* printed(probes, options, path, versionArguments)
  const schema = yield* Effect.scoped(Effect.gen(function*() {
    const folder = yield* probes.probeFolder
    const written = yield* printed(probes, options, path, schemaArguments(folder.path))
    return written.done ? parsed(yield* folder.read(schemaFile)) : undefined
  }))
  return {
    printedVersion: version.done ? version.text : "",
    ...(schema === undefined ? {} : { comparison: compareSchema(schema) })
  } satisfies CodexFacts
})

/** Fails with a remedy for a person; nothing of it is left running then. */
export const qualifyCodex = (probes: CodexProbes) =>
  Effect.fn("qualifyCodex")(function*(options: PrepareOptions): Effect.fn.Return<CodexQualification, PrepareError> {
    const [name] = probes.command ?? ["codex"]
    const found = yield* probes.processes.locate(name, { cwd: options.workspace, environment: options.environment })
    if (found.kind === "not-found") {
      return yield* fail(new HarnessNotFound({ explanation: `There is no program ${name}`, remedy: install }))
    }
    if (found.kind === "not-executable") {
      return yield* fail(new HarnessNotExecutable({
        explanation: `${found.path} cannot be executed`,
        remedy: `Make ${found.path} executable, or install Codex again.`
      }))
    }
    return yield* judgeCodex(found.path, yield* probeCodex(probes, options, found.path))
  })
