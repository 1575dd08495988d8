/**
 * The one door to `effect/cli`, whose interface is unstable: what it parses stays, what it prints is ours.
 *
 * Owns: which parts of `effect/cli` are used and how they are configured.
 * Never owns: texts of help and errors (help-text, usage-problem), what a command does.
 * Limits: of its built-in flags only `--help` and `--version` stay; the services it asks for are inert, because no command prompts, spawns or reads a file through it.
 */
import { Effect, FileSystem, Layer, type Option, Path, Sink, Stdio, Stream, Terminal } from "effect"
import { CliConfig, type CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"

export { Argument, CliError, Command, Flag } from "effect/cli"
export type { HelpDoc } from "effect/cli"

/** Columns a text takes on a terminal; wide characters count two. */
export const displayWidth = CliOutput.displayWidth

/** A yes-or-no option that never takes the next word as its value. */
export const switchFlag = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(
    Flag.withOptionalValue("true"),
    Flag.withoutNegation,
    Flag.withDefault(false),
    Flag.withDescription(description)
  )

const saidFlag = (name: string, metavar: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filter((value) => value.trim() !== "", () => "a value")
  )

/** An option whose value is text; a blank value is wrong usage, as it is mostly a variable of a script that was never set. */
export const textFlag = (name: string, metavar: string, description: string): Flag.Flag<Option.Option<string>> =>
  Flag.optional(saidFlag(name, metavar, description))

/** As `textFlag`, and it may be repeated. */
export const textsFlag = (name: string, metavar: string, description: string): Flag.Flag<ReadonlyArray<string>> =>
  Flag.atLeast(saidFlag(name, metavar, description), 0)

const unused = Effect.die(new Error("effect/cli asked for a service that no command of Steno uses"))

const inertServices = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(Stdio.Stdio, Stdio.make({
    args: unused,
    stdin: Stream.empty,
    stdout: () => Sink.drain,
    stderr: () => Sink.drain
  })),
  Layer.succeed(Terminal.Terminal, Terminal.make({
    columns: unused,
    rows: unused,
    size: unused,
    readInput: unused,
    readLine: unused,
    display: () => unused
  })),
  Layer.succeed(ChildProcessSpawner.ChildProcessSpawner, ChildProcessSpawner.make(() => unused))
)

/** What to do instead of printing. */
export interface Presentation {
  readonly help: (doc: CliOutput.Presenter.Help["helpDoc"]) => Effect.Effect<void>
  readonly version: (name: string, version: string) => Effect.Effect<void>
}

/**
 * Parses `args` and runs the command they name; prints nothing by itself.
 * Fails with a `CliError` for wrong usage, `ShowHelp` without errors when a command group was named alone.
 */
export const parseAndRun = <const Name extends string, Input, Context, E, R>(
  command: Command.Command<Name, Input, Context, E, R>,
  options: {
    readonly version: string
    readonly args: ReadonlyArray<string>
    readonly presentation: Presentation
  }
): Effect.Effect<void, CliError.CliError | E, Exclude<R, Command.Environment>> =>
  Command.runWith(command, { version: options.version, renderErrors: false })(options.args).pipe(
    Effect.provide(inertServices),
    Effect.provideService(CliConfig.CliConfig, { builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
    Effect.provideService(CliOutput.Presenter, {
      present: (event) => {
        if (event._tag === "Version") return options.presentation.version(event.name, event.version)
        if (event._tag === "Help" && event.reason === "Requested") return options.presentation.help(event.helpDoc)
        return Effect.void
      }
    })
  ) as Effect.Effect<void, CliError.CliError | E, Exclude<R, Command.Environment>>
