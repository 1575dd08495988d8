/** One thing a call does, as far as it can be known before it runs: what rules are held against. */
import type { ToolRisk } from "@steno/contracts"
import type { ShellWord } from "./shell-word.ts"

/** A path that a unit touches. */
export interface Target {
  readonly access: "read" | "write" | "any"
  /** Absolute, not normalised; undefined when only the shell will know. */
  readonly path: string | undefined
  /** Glob segments below `path`; empty when `path` is all. */
  readonly glob: string
}

/** What a command removes with everything below it. */
export interface Removal {
  /** `maybe`: options that are not known may make it recursive. */
  readonly recursive: "yes" | "maybe"
  readonly targets: ReadonlyArray<Target>
}

export interface JudgedUnit {
  readonly text: string
  /** Names that a rule's `tool` may say. */
  readonly tools: ReadonlyArray<string>
  readonly risk: ToolRisk
  /** Words of a command; `undefined` for everything else. */
  readonly words: ReadonlyArray<ShellWord> | undefined
  /** Assignments in front that may change what the command does; part of the words for a rule that allows. */
  readonly assignments: ReadonlyArray<ShellWord>
  /** Named by the call itself, so that a `path` of a rule that allows may cover them; guessed from a command's words otherwise. */
  readonly namesPaths: boolean
  readonly targets: ReadonlyArray<Target>
  readonly hosts: ReadonlyArray<string>
  /** It may reach hosts that are not known. */
  readonly hidesHosts: boolean
  readonly removal: Removal | undefined
  /** It only steers the shell, or runs what is judged by itself: it asks for nothing as long as something else of the line is allowed. */
  readonly neutral: "no" | "yes" | "inside-workspace"
}
