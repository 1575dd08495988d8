/**
 * What is known of a shell word before the shell expands it.
 *
 * Owns: the literal value of a word, or how many words it may become; the path it may name.
 * Never owns: the parsing (unbash), what a command does with its words.
 * Limits: a value that only the shell will know is unknown here, never guessed.
 */
import type { ArithmeticExpression, Assignment, Word, WordPart } from "unbash"

/** A path in a word: literal text and globs, in glob syntax; `home` and `cwd` say what it is relative to when it is not absolute. */
export interface WordPath {
  readonly base: "home" | "cwd"
  /** Glob; literal text is escaped. */
  readonly glob: string
  /** Without globs: exactly this text. */
  readonly text: string | undefined
}

export interface ShellWord {
  /** As written. */
  readonly text: string
  /** The one word it becomes, after quotes; undefined when only the shell will know. */
  readonly literal: string | undefined
  /** How many words it becomes; `many` is any number, none too. */
  readonly count: "one" | "many"
  /** Undefined when only the shell will know. */
  readonly path: WordPath | undefined
}

type Piece =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "glob"; readonly text: string }
  | { readonly kind: "home" | "cwd" | "one" | "many" }

const globCharacter = /[\\*?[\]{}]/g
export const escapeGlob = (text: string): string => text.replace(globCharacter, "\\$&")

const knownVariable = (name: string): Piece | undefined => {
  switch (name) {
    case "HOME":
      return { kind: "home" }
    case "PWD":
      return { kind: "cwd" }
    default:
      return undefined
  }
}

const parameterPiece = (name: string, plain: boolean, severalWords: boolean, quoted: boolean): Piece => {
  const known = plain ? knownVariable(name) : undefined
  if (known !== undefined) return known
  return quoted && !severalWords ? { kind: "one" } : { kind: "many" }
}

const piecesOf = (part: WordPart, quoted: boolean): ReadonlyArray<Piece> => {
  switch (part.type) {
    case "Literal":
      return [{ kind: "text", text: part.value, quoted: quoted || part.text.startsWith("\\") }]
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ kind: "text", text: part.value, quoted: true }]
    case "DoubleQuoted":
      return part.parts.length === 0
        ? [{ kind: "text", text: "", quoted: true }]
        : part.parts.flatMap((inner) => piecesOf(inner, true))
    case "Glob":
      return [{ kind: "glob", text: part.text }]
    case "SimpleExpansion":
      return [parameterPiece(part.text.slice(1), true, part.text === "$@", quoted)]
    case "ParameterExpansion": {
      const plain = part.prefix === undefined && part.index === undefined && part.operation === undefined
      const severalWords = part.parameter === "@" || part.index?.text === "@" || part.operation?.type === "Names" || part.prefix === "!"
      return [parameterPiece(part.parameter, plain, severalWords, quoted)]
    }
    case "CommandExpansion":
    case "ArithmeticExpansion":
      return [{ kind: quoted ? "one" : "many" }]
    case "ProcessSubstitution":
    case "LocaleString":
      return [{ kind: "one" }]
    case "BraceExpansion":
    case "ExtendedGlob":
      return [{ kind: "many" }]
  }
}

const unquotedTilde = /^~(?=\/|$)/

/** A leading `~` stands for the home directory; another user's is unknown. */
const withHome = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const [first, ...rest] = pieces
  if (first?.kind !== "text" || first.quoted || !first.text.startsWith("~")) return pieces
  if (!unquotedTilde.test(first.text)) return [{ kind: "one" }, ...rest]
  return [{ kind: "home" }, { kind: "text", text: first.text.slice(1), quoted: false }, ...rest]
}

const pathOf = (pieces: ReadonlyArray<Piece>): WordPath | undefined => {
  const placed = withHome(pieces)
  const [first] = placed
  const base = first?.kind === "home" ? "home" : "cwd"
  const rest = first?.kind === "home" || first?.kind === "cwd" ? placed.slice(1) : placed
  const start = rest === placed ? "" : "."
  let glob = start
  let text: string | undefined = start
  for (const piece of rest) {
    if (piece.kind === "text") {
      glob += escapeGlob(piece.text)
      text = text === undefined ? undefined : text + piece.text
    } else if (piece.kind === "glob") {
      glob += piece.text
      text = undefined
    } else return undefined
  }
  return { base, glob, text }
}

const wordOfPieces = (text: string, pieces: ReadonlyArray<Piece>): ShellWord => {
  const isLiteral = pieces.every((piece) => piece.kind === "text")
  const severalWords = pieces.some(({ kind }) => kind === "many" || kind === "glob")
  return {
    text,
    literal: isLiteral ? pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("") : undefined,
    count: severalWords ? "many" : "one",
    path: pathOf(pieces)
  }
}

const piecesOfWord = (word: Word): ReadonlyArray<Piece> =>
  word.parts === undefined
    ? [{ kind: "text", text: word.value, quoted: word.text.startsWith("\\") }]
    : word.parts.flatMap((part) => piecesOf(part, false))

export const shellWord = (word: Word): ShellWord => wordOfPieces(word.text, piecesOfWord(word))

/** `NAME=value` as an argument or in front of a command. */
export const assignmentWord = ({ append, index, name, text, value }: Assignment): ShellWord => {
  if (value.type === "ArrayValue" || index !== undefined) return { text, literal: undefined, count: "one", path: undefined }
  const inner = shellWord(value)
  const literal = inner.literal === undefined ? undefined : `${name}${append === true ? "+" : ""}=${inner.literal}`
  return { text, literal, count: "one", path: undefined }
}

export const literalWord = (text: string): ShellWord =>
  wordOfPieces(text, [{ kind: "text", text, quoted: true }])

/** A word of which only the number is known. */
export const unknownWord = (text: string, count: ShellWord["count"]): ShellWord => ({ text, literal: undefined, count, path: undefined })

/** Whether the shell computes with nothing but numbers, so that no stored text is evaluated again. */
export const isPlainArithmetic = (expression: ArithmeticExpression | undefined): boolean => {
  switch (expression?.type) {
    case undefined:
    case "ArithmeticCommandExpansion":
      return false
    case "ArithmeticBinary":
      return isPlainArithmetic(expression.left) && isPlainArithmetic(expression.right)
    case "ArithmeticUnary":
      return isPlainArithmetic(expression.operand)
    case "ArithmeticTernary":
      return [expression.test, expression.consequent, expression.alternate].every(isPlainArithmetic)
    case "ArithmeticGroup":
      return isPlainArithmetic(expression.expression)
    case "ArithmeticWord":
      return expression.parts === undefined && /^\d+$/.test(expression.value)
  }
}
