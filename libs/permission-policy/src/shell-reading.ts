/**
 * Takes a command line apart into its simple commands.
 *
 * Owns: finding every simple command in lists, pipes, groups, functions, loops, substitutions and here-documents; the doubts.
 * Never owns: what a command may do (command-units, guardrails).
 * Limits: whatever is not surely read is a doubt; a line with a doubt is never allowed. More than 64 Ki characters are not read.
 * The grammar is that of bash without aliases and history. docs/adr/0026-read-commands-with-unbash.md
 */
import {
  type Command,
  forEachChild,
  type HereDoc,
  parse,
  type ParsedScript,
  type Redirection,
  type SyntaxNode
} from "unbash"
import { lookupDoubt, nodeDoubt } from "./shell-doubts.ts"
import { assignmentWord, type ShellWord, shellWord } from "./shell-word.ts"

/** Why a line is not surely what it seems to be. */
export interface Doubt {
  readonly text: string
  readonly reason: string
}

export interface FileRedirection {
  readonly text: string
  readonly access: "read" | "write"
  readonly target: ShellWord
}

/** What a command reads on its standard input: nothing of its own, a literal text, or something unknown. */
export type CommandInput =
  | { readonly kind: "inherited" | "unknown" }
  | { readonly kind: "text"; readonly text: string }

export interface SimpleCommand {
  readonly text: string
  /** `NAME=value` in front. */
  readonly assignments: ReadonlyArray<{ readonly name: string; readonly word: ShellWord }>
  /** The command word and its arguments; empty for assignments or redirections alone. */
  readonly words: ReadonlyArray<ShellWord>
  readonly redirections: ReadonlyArray<FileRedirection>
  readonly input: CommandInput
  /** Inside a loop or function: it may run any number of times, in any directory that a repetition leads to. */
  readonly repeated: boolean
}

export interface ShellReading {
  readonly commands: ReadonlyArray<SimpleCommand>
  readonly doubts: ReadonlyArray<Doubt>
}

const descriptor = /^(?:\d+-?|-)$/

const fileRedirection = (redirection: Redirection, source: string): FileRedirection | undefined => {
  if (redirection.type !== "Redirect" || redirection.target === undefined) return undefined
  const { operator } = redirection
  const target = shellWord(redirection.target)
  if ((operator === ">&" || operator === "<&") && target.literal !== undefined && descriptor.test(target.literal)) return undefined
  if (operator === "<&") return undefined
  return { text: source.slice(redirection.pos, redirection.end), access: operator === "<" ? "read" : "write", target }
}

const bodyOf = ({ body, closing, delimiter, operator }: HereDoc): CommandInput => {
  const quoted = delimiter?.quoted === true
  if (closing === undefined || (!quoted && (body.parts?.some((part) => part.type !== "Literal") === true || body.text.includes("\\")))) {
    return { kind: "unknown" }
  }
  return { kind: "text", text: operator === "<<-" ? body.text.replace(/^\t+/gm, "") : body.text }
}

const inputOf = (redirections: ReadonlyArray<Redirection>): CommandInput => {
  const inputs = redirections.filter((redirection) => redirection.type !== "Redirect" || redirection.operator.startsWith("<"))
  const last = inputs.at(-1)
  if (last === undefined) return { kind: "inherited" }
  if (inputs.length > 1 || last.descriptor !== undefined) return { kind: "unknown" }
  if (last.type === "HereDoc") return bodyOf(last)
  const literal = last.type === "HereString" && last.target !== undefined ? shellWord(last.target).literal : undefined
  return literal === undefined ? { kind: "unknown" } : { kind: "text", text: literal }
}

class Reader {
  readonly commands: Array<SimpleCommand> = []
  readonly doubts: Array<Doubt> = []
  private source: string

  constructor(source: string) {
    this.source = source
  }

  visit(node: SyntaxNode, repeated: boolean, insideTest: boolean): void {
    if (node.type === "Script") return this.visitScript(node, repeated, insideTest)
    const reason = nodeDoubt(node, insideTest)
    if (reason !== undefined) this.doubt(this.textOf(node), reason)
    if (node.type === "Command") this.addCommand(node, repeated)
    if (node.type === "Redirected") this.addRedirections(node.redirects, repeated)
    const again = repeated || ["For", "Select", "While", "ArithmeticFor", "Function"].includes(node.type)
    forEachChild(node, (child) => this.visit(child, again, insideTest || node.type === "TestCommand"))
  }

  /** A script of escaped backticks has a source of its own. */
  private visitScript(script: ParsedScript, repeated: boolean, insideTest: boolean): void {
    const outer = this.source
    this.source = script.source ?? outer
    for (const { message, pos } of script.errors ?? []) this.doubt(this.source.slice(pos, pos + 80), `it does not parse: ${message}`)
    forEachChild(script, (child) => this.visit(child, repeated, insideTest))
    this.source = outer
  }

  private textOf(node: SyntaxNode): string {
    return "text" in node ? node.text : this.source.slice(node.pos, node.end)
  }

  private doubt(text: string, reason: string): void {
    this.doubts.push({ text, reason })
  }

  private addCommand(command: Command, repeated: boolean): void {
    const assignments = command.prefix.flatMap((item) =>
      item.type === "Assignment" ? [{ name: item.name, word: assignmentWord(item) }] : []
    )
    for (const { name, word } of assignments) {
      const reason = lookupDoubt(name)
      if (reason !== undefined) this.doubt(word.text, reason)
    }
    const args = command.args.map((item) => (item.type === "Assignment" ? assignmentWord(item) : shellWord(item)))
    this.commands.push({
      text: this.source.slice(command.pos, command.end).trim(),
      assignments,
      words: command.name === undefined ? args : [shellWord(command.name), ...args],
      redirections: this.filesOf(command.redirects),
      input: inputOf(command.redirects),
      repeated
    })
  }

  private addRedirections(redirects: ReadonlyArray<Redirection>, repeated: boolean): void {
    const redirections = this.filesOf(redirects)
    if (redirections.length === 0) return
    const text = redirections.map((redirection) => redirection.text).join(" ")
    this.commands.push({ text, assignments: [], words: [], redirections, input: inputOf(redirects), repeated })
  }

  private filesOf(redirects: ReadonlyArray<Redirection>): ReadonlyArray<FileRedirection> {
    return redirects.flatMap((redirection) => fileRedirection(redirection, this.source) ?? [])
  }
}

const longestSource = 65_536

/** Reads the whole line; never throws. */
export const readShell = (source: string): ShellReading => {
  const reader = new Reader(source)
  const unread = (reason: string): ShellReading => ({ commands: [], doubts: [{ text: source.slice(0, 200), reason }] })
  try {
    if (source.length > longestSource) return unread("it is longer than 64 Ki characters")
    if (source.includes("\0")) return unread("it holds a NUL")
    reader.visit(parse(source), false, false)
  } catch (fault) {
    return { commands: reader.commands, doubts: [...reader.doubts, { text: source, reason: `it cannot be read: ${String(fault)}` }] }
  }
  return { commands: reader.commands, doubts: reader.doubts }
}
