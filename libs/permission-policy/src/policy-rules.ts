/**
 * Rules as they are held against a call.
 *
 * Owns: reading the conditions of a rule; whether a rule holds for a unit, surely or perhaps.
 * Never owns: which rule wins (decide-call).
 * Limits: a rule that allows holds only surely; one that asks or denies may hold perhaps, where only the shell will know.
 */
import type { PolicyRule } from "@steno/contracts"
import { Result } from "effect"
import { posix } from "node:path"
import type { JudgedUnit } from "./judged-unit.ts"
import { alternativesOf, matchesPath, mayMeet } from "./path-glob.ts"
import type { ResolvedTarget, ResolvedUnit } from "./resolved-unit.ts"
import { readShell } from "./shell-reading.ts"
import type { ShellWord } from "./shell-word.ts"

export interface CompiledRule {
  readonly rule: PolicyRule
  readonly command: { readonly words: ReadonlyArray<string>; readonly rest: boolean } | undefined
  /** Absolute globs, one of which has to name the path. */
  readonly paths: ReadonlyArray<string> | undefined
}

/** A condition that cannot be read. */
export interface RuleFault {
  readonly key: "path" | "command" | "host"
  readonly explanation: string
}

type Command = NonNullable<CompiledRule["command"]>

const compiledCommand = (text: string): Result.Result<Command, RuleFault> => {
  const fault = (explanation: string) => Result.fail<RuleFault>({ key: "command", explanation })
  const { commands, doubts } = readShell(text)
  const [command] = commands
  if (doubts.length > 0 || command === undefined || commands.length > 1 || command.redirections.length > 0) {
    return fault("it is not one simple command")
  }
  const words = [...command.assignments.map(({ word }) => word), ...command.words]
  const rest = words.at(-1)?.text === "*"
  const fixed = rest ? words.slice(0, -1) : words
  const literals = fixed.flatMap(({ literal }) => literal ?? [])
  return literals.length === fixed.length
    ? Result.succeed({ words: literals, rest })
    : fault("its words are literal, and a * stands alone and last")
}

const absoluteGlob = (glob: string, { userHome, workspace }: RulePlace): string => {
  if (glob === "~" || glob.startsWith("~/")) return `${userHome}${glob.slice(1)}`
  return posix.isAbsolute(glob) ? glob : `${workspace}/${glob.replace(/^\.\//, "")}`
}

const compiledPaths = (glob: string, place: RulePlace): Result.Result<ReadonlyArray<string>, RuleFault> => {
  const alternatives = alternativesOf(glob)
  if (alternatives === undefined) return Result.fail({ key: "path", explanation: "its braces do not close, or stand for more than 64 globs" })
  if (alternatives.some((one) => one.split("/").includes(".."))) return Result.fail({ key: "path", explanation: ".. names nothing in a resolved path" })
  return Result.succeed(alternatives.map((one) => absoluteGlob(one, place)))
}

const hostForm = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$|^\[[0-9a-f:.]+\]$|^\*$/i

/** What relative globs and `~` begin at: literal folders. */
export interface RulePlace {
  readonly workspace: string
  readonly userHome: string
}

export const compileRule = (rule: PolicyRule, place: RulePlace): Result.Result<CompiledRule, RuleFault> => {
  if (rule.host !== undefined && !hostForm.test(rule.host)) {
    return Result.fail({ key: "host", explanation: "it is a host name, perhaps with *. in front" })
  }
  const command = rule.command === undefined ? Result.succeed(undefined) : compiledCommand(rule.command)
  if (Result.isFailure(command)) return Result.fail(command.failure)
  const paths = rule.path === undefined ? Result.succeed(undefined) : compiledPaths(rule.path, place)
  return Result.map(paths, (globs) => ({ rule, command: command.success, paths: globs }))
}

export type Match = "yes" | "maybe" | "no"

const all = (matches: ReadonlyArray<Match>): Match => {
  if (matches.includes("no")) return "no"
  return matches.includes("maybe") ? "maybe" : "yes"
}
const any = (matches: ReadonlyArray<Match>): Match => {
  if (matches.includes("yes")) return "yes"
  return matches.includes("maybe") ? "maybe" : "no"
}

const sameWord = (wanted: string, given: string, isProgram: boolean): boolean =>
  wanted === given || (isProgram && !wanted.includes("/") && given.slice(given.lastIndexOf("/") + 1) === wanted)

/** Whether the words may become those of the rule once the shell has expanded them. */
const mayBecome = ({ rest, words }: Command, given: ReadonlyArray<ShellWord>, loose: boolean): boolean => {
  let reached = new Set([0])
  given.forEach((word, index) => {
    const next = new Set<number>()
    for (const state of reached) {
      if (word.count === "many") for (let later = state; later <= words.length; later++) next.add(later)
      if (state === words.length) {
        if (rest) next.add(state)
      } else if (word.literal === undefined || sameWord(words[state] ?? "", word.literal, loose && index === 0)) next.add(state + 1)
    }
    reached = next
  })
  return reached.has(words.length)
}

const matchWords = (command: Command, given: ReadonlyArray<ShellWord>, loose: boolean): Match => {
  const { rest, words } = command
  const surely = given.length >= words.length &&
    words.every((wanted, index) => {
      const literal = given[index]?.literal
      return literal !== undefined && sameWord(wanted, literal, loose && index === 0)
    }) && (rest || given.length === words.length)
  if (surely) return "yes"
  return mayBecome(command, given, loose) ? "maybe" : "no"
}

const matchCommand = (command: Command, { assignments, words }: JudgedUnit, allows: boolean): Match => {
  if (words === undefined) return "no"
  const whole = [...assignments, ...words]
  return allows ? matchWords(command, whole, false) : any([matchWords(command, words, true), matchWords(command, whole, true)])
}

/** A command's words are perhaps paths and perhaps written; only a rule that asks or denies is held against them. */
const matchTarget = (globs: ReadonlyArray<string>, target: ResolvedTarget, { risk }: PolicyRule, unit: JudgedUnit): Match => {
  if (!unit.namesPaths && (risk === "read" || risk === "write") && target.access !== risk && target.access !== "any") return "no"
  const unsure = !unit.namesPaths && risk === "write" && target.access === "any"
  const unescaped = [target.real, target.written].map((path) => path.replace(/\\(.)/gs, "$1"))
  if (target.exact) return globs.some((glob) => unescaped.some((path) => matchesPath(glob, path))) ? (unsure ? "maybe" : "yes") : "no"
  return globs.some((glob) => mayMeet(glob, target.real) || mayMeet(glob, target.written)) ? "maybe" : "no"
}

const matchPaths = (globs: ReadonlyArray<string>, { hidesPaths, targets, unit }: ResolvedUnit, rule: PolicyRule): Match => {
  if (rule.effect !== "allow") return any([...targets.map((target) => matchTarget(globs, target, rule, unit)), hidesPaths ? "maybe" : "no"])
  const named = unit.namesPaths && !hidesPaths && targets.length > 0
  return named && targets.every(({ exact, real }) => exact && globs.some((glob) => matchesPath(glob, real.replace(/\\(.)/gs, "$1")))) ? "yes" : "no"
}

const isHost = (wanted: string, host: string): boolean => {
  const name = wanted.toLowerCase()
  if (name === "*") return true
  return name.startsWith("*.") ? host === name.slice(2) || host.endsWith(name.slice(1)) : host === name
}

const matchHosts = (wanted: string, { hidesHosts, hosts }: JudgedUnit, allows: boolean): Match => {
  if (allows) return !hidesHosts && hosts.length > 0 && hosts.every((host) => isHost(wanted, host)) ? "yes" : "no"
  return any([...hosts.map((host): Match => (isHost(wanted, host) ? "yes" : "no")), hidesHosts ? "maybe" : "no"])
}

const matchRisk = ({ effect, path, risk }: PolicyRule, unit: JudgedUnit): Match => {
  if (risk === undefined || risk === unit.risk) return "yes"
  const heldAgainstWords = effect !== "allow" && path !== undefined && unit.words !== undefined && (risk === "read" || risk === "write")
  return heldAgainstWords ? "yes" : "no"
}

export const matchRule = ({ command, paths, rule }: CompiledRule, resolved: ResolvedUnit): Match => {
  const { unit } = resolved
  const allows = rule.effect === "allow"
  return all([
    rule.tool === undefined || unit.tools.includes(rule.tool) ? "yes" : "no",
    matchRisk(rule, unit),
    command === undefined ? "yes" : matchCommand(command, unit, allows),
    paths === undefined ? "yes" : matchPaths(paths, resolved, rule),
    rule.host === undefined ? "yes" : matchHosts(rule.host, unit, allows)
  ])
}
