/**
 * Which shell constructs are never surely read.
 *
 * Owns: constructs that evaluate stored text again, change where names are looked up, or that another shell reads differently.
 * Limits: judged one node at a time; commands that do the same (eval, source, …) are wrapper-commands' part.
 */
import type { SyntaxNode, TestExpression } from "unbash"
import { isPlainArithmetic, shellWord } from "./shell-word.ts"

const lookupName = /^(?:PATH|LD_.*|DYLD_.*|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|PROMPT_COMMAND|PS4|CDPATH|HOME|PWD|OLDPWD|BASH_FUNC_.*|GLOBIGNORE|BASH_ALIASES|BASH_CMDS)$/

/** Why an assignment to this variable makes every later word doubtful. */
export const lookupDoubt = (name: string): string | undefined =>
  lookupName.test(name) ? `it changes ${name}, by which words are looked up` : undefined

const numericTests = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])
const number = /^-?\d+$/
const evaluated = "the shell would evaluate text that is not known"

const testDoubt = (test: TestExpression): string | undefined => {
  if (test.type === "TestUnary") return test.operator === "-v" || test.operator === "-R" ? evaluated : undefined
  if (test.type !== "TestBinary" || !numericTests.has(test.operator)) return undefined
  return [test.left, test.right].every((word) => number.test(shellWord(word).literal ?? "")) ? undefined : evaluated
}

const isIndex = (text: string): boolean => /^(?:\d+|[@*])$/.test(text)

/** Why this node, by itself, is not surely read; undefined when it is. */
export const nodeDoubt = (node: SyntaxNode, insideTest: boolean): string | undefined => {
  switch (node.type) {
    case "AnsiCQuoted":
      return node.text.includes("\\'") ? "shells end this quote in different places" : undefined
    case "ExtendedGlob":
      return insideTest ? undefined : "without extglob a shell runs what stands in the parentheses"
    case "ParameterExpansion": {
      if (node.prefix === "!" && node.operation?.type !== "Names" && node.index === undefined) return evaluated
      return node.index === undefined || isIndex(node.index.text) ? undefined : evaluated
    }
    case "Transform":
    case "Unknown":
      return evaluated
    case "Slice":
      return [node.offset, node.length].every((word) => word === undefined || number.test(word.text.trim())) ? undefined : evaluated
    case "Default":
      return node.operator === "=" || node.operator === ":=" ? "it assigns a variable in passing" : undefined
    case "CommandExpansion":
    case "ProcessSubstitution":
      return node.script === undefined ? "its inner command cannot be read" : undefined
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
      return isPlainArithmetic(node.expression) ? undefined : evaluated
    case "ArithmeticFor":
      return [node.initialize, node.test, node.update].every((one) => one === undefined || isPlainArithmetic(one)) ? undefined : evaluated
    case "TestUnary":
    case "TestBinary":
      return testDoubt(node)
    case "Assignment":
      return node.index === undefined || isIndex(node.index.text) ? undefined : evaluated
    case "For":
    case "Select":
      return lookupDoubt(node.name.text)
    case "Redirect":
    case "HereString":
      return node.target === undefined ? "a redirection has no target" : undefined
    case "HereDoc":
      return node.closing === undefined ? "a here-document has no end" : undefined
    case "Function":
    case "Coproc":
      return node.body.type === "CompoundList" ? "its body cannot be read" : undefined
    default:
      return undefined
  }
}
