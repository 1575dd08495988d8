/**
 * What each tool may be asked, as schemas: a model reads them as JSON Schema, a call is checked against them.
 *
 * Owns: the fields, ranges and defaults of every tool's arguments.
 * Never owns: what a field means for shortening (result-projection), whether a path may be touched (permission-policy).
 * Limits: a key that is not listed is refused, so that a misspelt one is not silently without effect.
 */
import { Schema } from "effect"

const wellFormed = Schema.makeFilter<string>((value) => value.isWellFormed(), {
  expected: "text without half of a surrogate pair"
})

const withoutNul = Schema.isPattern(/^[^\0]*$/, { expected: "text without a NUL character" })

/** Any text; may be empty. */
const content = (description: string) => Schema.String.annotate({ description }).check(wellFormed)

/** Text that says something. */
const phrase = (description: string) => content(description).check(Schema.isNonEmpty())

/** Text that reaches the operating system. */
const systemText = (description: string) => phrase(description).check(withoutNul)

const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

/** Ranges and defaults of arguments that count something. */
export const argumentLimits = {
  readLines: { minimum: 1, default: 200, maximum: 2_000 },
  grepMatches: { minimum: 1, default: 100, maximum: 1_000 },
  grepContext: { minimum: 0, default: 0, maximum: 20 },
  findPaths: { minimum: 1, default: 200, maximum: 2_000 },
  lsEntries: { minimum: 1, default: 500, maximum: 2_000 },
  edits: { minimum: 1, maximum: 100 },
  timeoutSeconds: { minimum: 1, maximum: 86_400 },
  questions: { minimum: 1, maximum: 10 },
  options: { maximum: 20 },
  reasonCharacters: { minimum: 1, maximum: 400 }
} as const

const count = ({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }, description: string) =>
  Schema.optionalKey(Schema.Int.annotate({ description }).check(Schema.isBetween({ minimum, maximum })))

export const ReadFields = Schema.Struct({
  path: systemText("File to read, relative to the Workspace or absolute."),
  offset: Schema.optionalKey(
    Schema.Int.annotate({ description: "First line, counted from 1. Default 1." }).check(Schema.isGreaterThanOrEqualTo(1))
  ),
  limit: count(argumentLimits.readLines, "How many lines. Default 200.")
})

export const GrepFields = Schema.Struct({
  pattern: systemText("Regular expression (Rust syntax) for one line; with literal, the text itself."),
  path: Schema.optionalKey(systemText("Folder or file to search. Default: the Workspace.")),
  glob: Schema.optionalKey(systemText("Only files whose path fits, as in *.ts or src/**/*.{js,ts}. Without a slash it is about the name.")),
  literal: flag("Take the pattern as plain text."),
  ignoreCase: flag("Upper and lower case are alike."),
  context: count(argumentLimits.grepContext, "Lines to show before and after each match. Default 0."),
  limit: count(argumentLimits.grepMatches, "Stop after this many matching lines. Default 100.")
})

export const FindFields = Schema.Struct({
  pattern: systemText("Glob, as in *.test.ts or src/**/index.ts. Without a slash it is about the name, at any depth."),
  path: Schema.optionalKey(systemText("Folder to look in. Default: the Workspace.")),
  limit: count(argumentLimits.findPaths, "Return at most this many files. Default 200.")
})

export const LsFields = Schema.Struct({
  path: Schema.optionalKey(systemText("Folder to list. Default: the Workspace.")),
  limit: count(argumentLimits.lsEntries, "Return at most this many entries. Default 500.")
})

export const WriteFields = Schema.Struct({
  path: systemText("File to create or replace, relative to the Workspace or absolute. Missing folders are made."),
  content: content("The whole new content.")
})

export const EditFields = Schema.Struct({
  path: systemText("File to change, relative to the Workspace or absolute."),
  edits: Schema.Array(Schema.Struct({
    oldText: phrase("Text that stands in the file exactly once, with its indentation."),
    newText: content("What takes its place; empty removes it.")
  })).annotate({
    description: "Replacements, applied in this order; each sees the text that the earlier ones left. One that does not fit undoes all."
  }).check(Schema.isBetweenLength(argumentLimits.edits.minimum, argumentLimits.edits.maximum)),
  dryRun: flag("Only check and show the diff; write nothing.")
})

/** Names that Steno itself sets mark the processes of a call, and are not a model's to change. */
const isOwnName = (name: string): boolean => name.startsWith("STENO_")

const environment = Schema.Record(Schema.String, content("Its value.").check(withoutNul))
  .annotate({ description: "Variables to set for this command." })
  .check(Schema.makeFilter((variables) => Object.keys(variables).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isOwnName(name)), {
    expected: "names of letters, digits and _ that begin neither with a digit nor with STENO_"
  }))

export const BashFields = Schema.Struct({
  command: systemText("Shell text, run by bash."),
  cwd: Schema.optionalKey(systemText("Folder to run in. Default: the Workspace.")),
  env: Schema.optionalKey(environment),
  timeoutSeconds: count(argumentLimits.timeoutSeconds, "End the command after this much wall time. Default: no limit.")
})

const Option = Schema.Struct({
  label: phrase("What the person chooses; short."),
  description: Schema.optionalKey(content("What choosing it means."))
})

const Question = Schema.Struct({
  id: phrase("Your own name for the question; unique in this call."),
  prompt: phrase("The whole question."),
  header: Schema.optionalKey(content("A few words that name it.")),
  options: Schema.Array(Option).annotate({ description: "Choices. May be empty when allowText is true." }).check(
    Schema.makeFilter((options) => new Set(options.map(({ label }) => label)).size === options.length, {
      expected: "options with different labels"
    }),
    Schema.isMaxLength(argumentLimits.options.maximum)
  ),
  multiSelect: flag("Several options may be chosen."),
  allowText: flag("The person may answer in words of their own.")
}).check(Schema.makeFilter(({ allowText, options }) => options.length > 0 || allowText === true, {
  expected: "options, or allowText: true, so that the question can be answered"
}))

export const AskUserFields = Schema.Struct({
  questions: Schema.Array(Question).annotate({ description: "What to ask; answered together." }).check(
    Schema.makeFilter((questions) => new Set(questions.map(({ id }) => id)).size === questions.length, {
      expected: "questions with different ids"
    }),
    Schema.isBetweenLength(argumentLimits.questions.minimum, argumentLimits.questions.maximum)
  )
})

export const AgentControlFields = Schema.Struct({
  reason: content("Why, for the person who reads the Run; at most 400 characters.").check(
    Schema.isBetweenLength(argumentLimits.reasonCharacters.minimum, argumentLimits.reasonCharacters.maximum)
  )
})
