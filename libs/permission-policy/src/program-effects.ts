/**
 * What well-known programs do with their operands, for the guardrails and for rules about paths.
 *
 * Owns: which programs read, which write, which remove recursively, which talk to hosts.
 * Limits: a program that is not listed may do anything with its operands.
 */
import type { ShellWord } from "./shell-word.ts"

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const readers = words(
  "cat head tail less more grep egrep fgrep rg ag wc ls stat file diff cmp comm uniq cut strings od hexdump jq du tree realpath readlink " +
  "basename dirname sha1sum sha256sum sha512sum md5sum cksum nl tac test [ cd pushd bat"
)
const writers = words("rm rmdir unlink mv tee touch mkdir truncate chmod chown chgrp shred setfacl mkfifo mknod wipefs blkdiscard rimraf")
const copiers = words("cp ln install rsync scp")
const hostPrograms = words("curl wget http https ssh scp sftp rsync git nc ncat telnet ftp ping dig")

const isOption = ({ literal }: ShellWord): boolean => literal?.startsWith("-") === true && literal !== "-"

/** Operands: words after the command word that are no options. */
export const operandsOf = (all: ReadonlyArray<ShellWord>): ReadonlyArray<ShellWord> => {
  const end = all.findIndex(({ literal }) => literal === "--")
  return all.filter((word, index) => index > 0 && index !== end && (end >= 0 && index > end ? true : !isOption(word)))
}

export type OperandAccess = "read" | "write" | "any"

export const accessOf = (program: string, all: ReadonlyArray<ShellWord>, operand: ShellWord): OperandAccess => {
  const has = (option: RegExp) => all.some(({ literal }) => literal !== undefined && option.test(literal))
  if (writers.has(program) || /^mkfs(?:\.|$)/.test(program)) return "write"
  if (copiers.has(program)) {
    return has(/^(?:-[a-zA-Z]*t|--target-directory)/) || operandsOf(all).at(-1) === operand ? "write" : "read"
  }
  if (program === "sed") return has(/^(?:-[a-zA-Z]*i|--in-place)/) ? "write" : "read"
  if (program === "sort") return has(/^(?:-[a-zA-Z]*o|--output)/) ? "any" : "read"
  if (program === "find") return has(/^-(?:delete|exec|ok|fprint|fls)/) ? "any" : "read"
  return readers.has(program) ? "read" : "any"
}

export const reachesHosts = (program: string): boolean => hostPrograms.has(program)

export interface RecursiveRemoval {
  readonly recursive: "yes" | "maybe"
  readonly operands: ReadonlyArray<ShellWord>
}

const removalByRm = (all: ReadonlyArray<ShellWord>): RecursiveRemoval | undefined => {
  const end = all.findIndex(({ literal }) => literal === "--")
  const before = end < 0 ? all.slice(1) : all.slice(1, end)
  const operands = operandsOf(all)
  if (before.some(({ literal }) => literal !== undefined && /^(?:-[a-zA-Z]*[rR]|--r)/.test(literal))) return { recursive: "yes", operands }
  const unknown = before.filter(({ literal, path }) => literal === undefined && path === undefined)
  const mayHoldAnOption = unknown.some(({ count }) => count === "many") || (unknown.length > 0 && operands.length > 1)
  return mayHoldAnOption ? { recursive: "maybe", operands } : undefined
}

const selecting = /^-(?:name|iname|path|ipath|wholename|regex|iregex|newer\w*|user|group|size|mtime|mmin|atime|amin|ctime|cmin|perm|empty|samefile|inum|links|lname)$/

/** Tests that leave something out make a removal by find a removal of single files. */
const selects = (expression: ReadonlyArray<string | undefined>): boolean =>
  !expression.some((word) => word === "!" || word === "-not" || word === "-o" || word === "-or" || word === ",") &&
  expression.some((word, index) => word !== undefined && selecting.test(word) && !/^\**$/.test(expression[index + 1] ?? ""))

const removalByFind = (all: ReadonlyArray<ShellWord>): RecursiveRemoval | undefined => {
  const texts = all.map(({ literal }) => literal)
  const removes = texts.some((text, index) =>
    text === "-delete" || (/^-(?:exec|execdir|ok|okdir)$/.test(text ?? "") && /(?:^|\/)(?:rm|unlink|shred)$/.test(texts[index + 1] ?? ""))
  )
  if (!removes) return undefined
  const first = texts.findIndex((text, index) => index > 0 && text !== undefined && /^(?:-(?![HLPDO])|[!(])/.test(text))
  if (selects(texts.slice(first))) return undefined
  const roots = all.slice(1, first).filter((word) => !isOption(word))
  return { recursive: "yes", operands: roots }
}

/** Undefined when nothing is removed with everything below it. A find without a root removes where it is. */
export const recursiveRemoval = (program: string, all: ReadonlyArray<ShellWord>): RecursiveRemoval | undefined => {
  switch (program) {
    case "rm":
    case "srm":
      return removalByRm(all)
    case "rimraf":
      return { recursive: "yes", operands: operandsOf(all) }
    case "find":
      return removalByFind(all)
    default:
      return undefined
  }
}
