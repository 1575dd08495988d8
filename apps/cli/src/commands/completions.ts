/**
 * `steno completions SHELL`: a script that completes commands and options in that shell.
 *
 * Owns: what the generated script offers beyond the commands' own options, and how it says it is installed.
 * Never owns: the script's form (`effect/cli`).
 */
import { HeadlessOutput } from "@steno/headless"
import { Effect } from "effect"
import { Argument, Command, Completions } from "../cli-engine.ts"

type Descriptor = Completions.CommandDescriptor
type Flag = Completions.FlagDescriptor

const shells = ["bash", "zsh", "fish"] as const
type Shell = typeof shells[number]

/** What a value is, where the parser only knows that it is text. */
const pathOptions: Readonly<Record<string, "file" | "directory">> = { home: "directory", workspace: "directory", output: "file" }

/** Arguments that are files. */
const fileArguments: ReadonlySet<string> = new Set(["FILE"])

const withFile = (argument: Descriptor["arguments"][number]): Descriptor["arguments"][number] =>
  fileArguments.has(argument.name) ? { ...argument, type: { _tag: "Path", pathType: "file" } } : argument

const withPath = (flag: Flag): Flag => {
  const pathType = pathOptions[flag.name]
  return pathType === undefined ? flag : { ...flag, type: { _tag: "Path", pathType } }
}

const actionFlag = (name: string, aliases: ReadonlyArray<string>, description: string): Flag => ({
  name,
  aliases,
  description,
  type: { _tag: "Boolean" },
  negation: false
})

const help = actionFlag("help", ["h"], "Show help")
const version = actionFlag("version", ["v"], "Show the version")

/** Options of the parser itself are in no command's own list. */
const completed = (command: Descriptor, more: ReadonlyArray<Flag>): Descriptor => ({
  ...command,
  flags: [...command.flags.map(withPath), ...more],
  arguments: command.arguments.map(withFile),
  subcommands: command.subcommands.map((child) => completed(child, [help]))
})

const installation: Record<Shell, string> = {
  bash: "steno completions bash >> ~/.bashrc",
  zsh: "steno completions zsh > ~/.zsh/completions/_steno",
  fish: "steno completions fish > ~/.config/fish/completions/steno.fish"
}

/** Ends with a newline. */
export const completionScript = (shell: Shell, root: Command.Command.Any): string => {
  const script = Completions.generate("steno", shell, completed(Completions.fromCommand(root), [help, version]))
  return `${script.replace(/^(#\s+)steno --completions .*$/m, (_, comment: string) => comment + installation[shell])}\n`
}

/** @param root the whole tree; asked for when the command runs, because this command is part of it */
export const completionsCommand = (root: () => Command.Command.Any) =>
  Command.make(
    "completions",
    { shell: Argument.Literals("SHELL", shells).pipe(Argument.withDescription("bash, zsh or fish")) },
    Effect.fn("completions")(function*({ shell }) {
      const output = yield* HeadlessOutput
      yield* output.stdout(completionScript(shell, root()))
    })
  ).pipe(
    Command.withShortDescription("Print a completion script"),
    Command.withDescription("Prints a script that completes commands and options in your shell."),
    Command.withExamples([{ command: `source <(steno completions bash)` }])
  )
