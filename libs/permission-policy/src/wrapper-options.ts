/**
 * Where the inner command of a wrapper begins.
 *
 * Owns: the options of each wrapper, as far as they are needed to find the first word after them.
 * Limits: an option that is not listed, or a word that is not literal before the inner command, makes the wrapper unreadable.
 */
import type { ShellWord } from "./shell-word.ts"

interface WrapperForm {
  /** Letters of options without a value. */
  readonly flags: string
  /** Letters of options with one. */
  readonly valued: string
  readonly longFlags: ReadonlyArray<string>
  readonly longValued: ReadonlyArray<string>
  /** Words between the options and the inner command. */
  readonly operands: number
  /** `NAME=value` words may stand before the inner command. */
  readonly assigns?: true
  /** Options that lead to another directory, root or user's directory. */
  readonly moves?: ReadonlyArray<string>
  /** It has no effect but that of the inner command, with the rights of the caller. */
  readonly transparent: boolean
}

const form = (parts: Partial<WrapperForm> & Pick<WrapperForm, "transparent">): WrapperForm => ({
  flags: "",
  valued: "",
  longFlags: [],
  longValued: [],
  operands: 0,
  ...parts
})

export const wrapperForms: ReadonlyMap<string, WrapperForm> = new Map([
  ["sudo", form({
    flags: "AbEHknPS",
    valued: "ughpCrtTUDR",
    longFlags: ["preserve-env", "non-interactive", "set-home", "stdin", "background", "reset-timestamp"],
    longValued: ["user", "group", "host", "prompt", "chdir", "chroot"],
    assigns: true,
    moves: ["-D", "-R", "--chdir", "--chroot"],
    transparent: false
  })],
  ["doas", form({ flags: "nL", valued: "uC", transparent: false })],
  ["env", form({
    flags: "i0v",
    valued: "uC",
    longFlags: ["ignore-environment", "null", "debug"],
    longValued: ["unset", "chdir"],
    assigns: true,
    moves: ["-C", "--chdir"],
    transparent: true
  })],
  ["nohup", form({ transparent: true })],
  ["setsid", form({ flags: "cfw", longFlags: ["ctty", "fork", "wait"], transparent: true })],
  ["time", form({ flags: "pv", longFlags: ["portability", "verbose"], transparent: true })],
  ["timeout", form({
    flags: "vpf",
    valued: "ks",
    longFlags: ["foreground", "preserve-status", "verbose"],
    longValued: ["kill-after", "signal"],
    operands: 1,
    transparent: true
  })],
  ["nice", form({ flags: "0123456789", valued: "n", longValued: ["adjustment"], transparent: true })],
  ["ionice", form({ flags: "t", valued: "cn", longFlags: ["ignore"], longValued: ["class", "classdata"], transparent: true })],
  ["stdbuf", form({ valued: "ioe", longValued: ["input", "output", "error"], transparent: true })],
  ["command", form({ flags: "p", transparent: true })],
  ["builtin", form({ transparent: true })],
  ["exec", form({ flags: "cl", valued: "a", transparent: true })],
  ["xargs", form({
    flags: "0rtxo",
    valued: "nPLsdEaI",
    longFlags: ["null", "no-run-if-empty", "verbose", "exit"],
    longValued: ["max-args", "max-procs", "max-lines", "max-chars", "delimiter", "arg-file", "replace"],
    transparent: true
  })],
  ["busybox", form({ transparent: true })],
  ["toybox", form({ transparent: true })]
])

export interface InnerStart {
  /** Index of the command word; the number of words when there is none. */
  readonly index: number
  readonly assignments: ReadonlyArray<ShellWord>
  /** The options that were given, as `-x` or `--long`, with their values. */
  readonly options: ReadonlyArray<{ readonly name: string; readonly value: string | undefined }>
}

const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/

/** Undefined when it cannot be found for sure. `words[0]` is the wrapper. */
export const innerStart = (words: ReadonlyArray<ShellWord>, wrapper: WrapperForm): InnerStart | undefined => {
  const options: Array<InnerStart["options"][number]> = []
  let index = 1
  for (; index < words.length; index++) {
    const option = words[index]?.literal
    if (option === undefined) return undefined
    if (option === "--") {
      index++
      break
    }
    if (!option.startsWith("-") || option === "-") break
    const taken = takeOption(option, words[index + 1], wrapper)
    if (taken === undefined) return undefined
    options.push(...taken.options)
    if (taken.tookNext) index++
  }
  const assignments: Array<ShellWord> = []
  for (let word = words[index]; wrapper.assigns === true && word !== undefined && assignment.test(word.text); word = words[++index]) {
    assignments.push(word)
  }
  for (let operand = 0; operand < wrapper.operands; operand++, index++) {
    const word = words[index]
    if (word !== undefined && word.count !== "one") return undefined
  }
  return { index: Math.min(index, words.length), assignments, options }
}

interface Taken {
  readonly options: InnerStart["options"]
  readonly tookNext: boolean
}

const takeOption = (option: string, next: ShellWord | undefined, wrapper: WrapperForm): Taken | undefined => {
  if (option.startsWith("--")) return takeLong(option.slice(2), next, wrapper)
  const options: Array<InnerStart["options"][number]> = []
  for (let at = 1; at < option.length; at++) {
    const letter = option[at] ?? ""
    if (wrapper.valued.includes(letter)) {
      const attached = option.slice(at + 1)
      if (attached === "" && (next === undefined || next.count !== "one")) return undefined
      options.push({ name: `-${letter}`, value: attached === "" ? next?.literal : attached })
      return { options, tookNext: attached === "" }
    }
    if (!wrapper.flags.includes(letter)) return undefined
    options.push({ name: `-${letter}`, value: undefined })
  }
  return { options, tookNext: false }
}

const takeLong = (text: string, next: ShellWord | undefined, wrapper: WrapperForm): Taken | undefined => {
  const [name = "", ...rest] = text.split("=")
  const value = rest.length === 0 ? undefined : rest.join("=")
  if (wrapper.longValued.includes(name)) {
    if (value === undefined && (next === undefined || next.count !== "one")) return undefined
    return { options: [{ name: `--${name}`, value: value ?? next?.literal }], tookNext: value === undefined }
  }
  return wrapper.longFlags.includes(name) ? { options: [{ name: `--${name}`, value }], tookNext: false } : undefined
}
