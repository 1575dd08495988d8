/**
 * How grave a line sounds, by the words that stand in it and how they stand there.
 *
 * Owns: the severity of one line. Counts of zero, excused errors, parts of names and echoed commands do not count.
 * Never owns: how rare a line is, what stands around it.
 * Limits: the answer depends on this line alone.
 */
import { classOfWord, type WordClass } from "./severity-words.ts"

/** From good news to the worst; a number so that lines can be compared. */
export const severities = { passed: -1, plain: 0, warning: 1, trouble: 2, error: 3, fatal: 4 } as const

/** A word, a name or a path; parts that are joined by a dash, a dot or a slash are one. */
const token = /[A-Za-z_$\u00c0-\u1fff][\w$\u00c0-\u1fff]*(?:'t\b|[-./\\@~][\w$\u00c0-\u1fff]+)*|\d[\w.,:-]*/g

const failMark = /^[✗✘✖×✕⨯❌●]/
const passMark = /^[✓✔√☑✅]/
const warnMark = /^[⚠▲]/
const listedFailure = /^(?:\d+\) \S|not ok\b|E {2,}\S)/
const namedException = /(?:Error|Exception|Fault|Failure|Panic)$/

/** What follows a word that counts nothing, or is set to nothing. */
const nothing = /^"?\s*(?:[=:]\s*)?(?:\d*\.\d|"?0(?![.\d\w])|null\b|false\b|\[\]|\{\}|""|none\b|\[Function|undefined\b)/
const someAfter = /^s?\s*[=:]\s*[1-9]|^ [1-9]\d*$/
const emptyLabel = /^:\s*(?:[|>]-?)?$/
const excusedExpectation = /\(expected|as expected|expected (?:fail|error|in |exception|to fail)/i
const graveTrouble =
  /data race|out of memory|permission denied|no space left|timed out|timeout (?:of|after|exceed|expire|reach|was)|core dumped|connection refused|no such file|deadlock|stack overflow/i
const quotedSource = /^\d*\s*[|│]|^\d+:? {2,}\S|^>?\s*\d+ [|│]/
const echoedCommand = /^(?:\++ |\$ |> )\S/
const quotedText = /'[^']{0,158}'|"[^"]{0,158}"|`[^`]{0,158}`|‘[^’]{0,158}’/g
const recordLevel = /"(?:level|severity|lvl|kind)":\s*"?([A-Za-z]+|\d+)/i
/** An error that only names something else: an error log, the error path. */
const adjunct =
  /^ (?!while|in\b|at\b|on\b|to\b|occ|during|code|when|from|read|writ|open|load|connect|pars|process|creat|execut|runn|send|build|compil|link)[a-z]/

interface Word {
  readonly wordClass: WordClass
  readonly text: string
  /** What follows it. */
  readonly rest: string
  /** The character before it, empty at the start. */
  readonly before: string
  /** The two characters before it. */
  readonly prefix: string
  /** A count that stands before it. */
  readonly count: number | undefined
  readonly negated: boolean
  /** Which word of the line it is, from 1. */
  readonly position: number
}

export interface LineMeaning {
  readonly severity: number
  /** Counts failures, and there are some. */
  readonly tally: boolean
  /** Names the kind of an exception. */
  readonly names: boolean
}

const levelMeaning = (level: string): number | undefined => {
  const word = level.toLowerCase()
  if (/^(?:fatal|panic|emerg|crit|critical|alert|60)$/.test(word)) return severities.fatal
  if (/^(?:error|err|50|2)$/.test(word)) return severities.error
  if (/^(?:warn|warning|40|1)$/.test(word)) return severities.warning
  if (/^(?:info|debug|trace|notice|30|20|10)$/.test(word)) return severities.plain
  return undefined
}

/** How grave a record in JSON calls itself. */
export const readLevel = (text: string): number | undefined => {
  const level = recordLevel.exec(text)?.[1]
  return level === undefined ? undefined : levelMeaning(level)
}

const alwaysFatal = /^(?:panicked|segfault|sig[a-z]+|oom)$/i

const isShouted = (word: string) => word.length > 2 && word === word.toUpperCase()
const isTitled = (word: string) => /^[A-Z][a-z]/.test(word)

/** A word that is used as a label or a verdict, not inside a sentence. */
const stands = (word: Word, line: string): boolean =>
  isShouted(word.text) || isTitled(word.text) || /^(?:[:[!]| {2}| TS\d)/.test(word.rest) || word.before === "[" ||
  (word.before === "(" && word.rest.startsWith(")")) ||
  (word.position === 2 && /^npm /.test(line)) ||
  (word.prefix === ": " && word.position <= 6 && !word.rest.startsWith(" "))

const wordsOf = (line: string): { readonly words: ReadonlyArray<Word>; readonly exceptions: number; readonly count: number } => {
  const words: Array<Word> = []
  let exceptions: number = severities.plain
  let count: number | undefined
  let negated = false
  let position = 0
  let end = 0
  for (const match of line.matchAll(token)) {
    const text = match[0]
    const at = match.index
    const before = at > 0 ? line.charAt(at - 1) : ""
    if (/[^\s(,\d\w"']/.test(line.slice(end, at))) {
      count = undefined
      negated = false
    }
    end = at + text.length
    if (/^\d/.test(text)) {
      count = /^\d{1,9}$/.test(text) && before !== "=" && before !== ":" ? Number(text) : undefined
      continue
    }
    position++
    if (before !== "/" && before !== "-" && before !== "%" && before !== ".") {
      const wordClass = classOfWord(text.toLowerCase())
      if (wordClass !== undefined) {
        words.push({ wordClass, text, rest: line.slice(end, end + 16), before, prefix: line.slice(Math.max(0, at - 2), at), count, negated, position })
        negated = wordClass === "negation"
        count = undefined
        continue
      }
      if (text.length > 5 && !/[/\d]/.test(text) && namedException.test(text)) {
        exceptions = Math.max(exceptions, /^(?::|$| \[)/.test(line.slice(end)) ? severities.error : severities.trouble)
      }
    }
    count = undefined
    negated = false
  }
  return { words, exceptions, count: position }
}

/** A record in JSON, or a field of one. */
const isRecord = (line: string): boolean => /^(?:[{[]["{]|"[^"]*":)/.test(line)

/** @param text a clean line, white space at its start left out or not */
export const readMeaning = (text: string): LineMeaning => {
  const line = text.trimStart()
  const record = isRecord(line)
  const { exceptions, words } = wordsOf(record ? line : line.replace(quotedText, (quoted) => `"${" ".repeat(quoted.length - 2)}"`))
  let severity: number = exceptions
  let tally = false
  let excused = /expected/i.test(line) && excusedExpectation.test(line)
  let retried = false
  let passed = passMark.test(line)
  const raise = (to: number) => {
    if (to > severity) severity = to
  }

  if (failMark.test(line) || listedFailure.test(line)) raise(severities.error)
  if (warnMark.test(line)) raise(severities.warning)
  for (const word of words) {
    const absent = word.negated || word.count === 0 || nothing.test(word.rest)
    switch (word.wordClass) {
      case "passed":
        if (word.position === 1 || word.rest.length <= 1 || (isShouted(word.text) && word.text.length > 4)) passed = true
        break
      case "excused":
        excused = true
        break
      case "retried":
        retried = true
        break
      case "warning":
        if (!absent) raise(severities.warning)
        break
      case "counted":
        if ((word.count ?? 0) > 0) tally = true
        break
      case "trouble":
        if (absent) break
        if (someAfter.test(word.rest)) tally = true
        raise(severities.trouble)
        break
      case "error":
      case "fatal":
        if (absent || emptyLabel.test(word.rest)) break
        if (((word.count ?? 0) > 0 && !/^[:[]/.test(word.rest)) || (!isTitled(word.text) && !isShouted(word.text) && someAfter.test(word.rest))) {
          tally = true
          raise(severities.error)
        } else if (stands(word, line) || alwaysFatal.test(word.text)) raise(severities[word.wordClass])
        else raise(/^(?:error|failure)$/.test(word.text) && adjunct.test(word.rest) ? severities.warning : severities.trouble)
        break
      case "negation":
      case "level":
      case "connecting":
        break
    }
  }
  if (record) severity = readLevel(line) ?? severity
  if (severity === severities.trouble && graveTrouble.test(line)) severity = severities.error
  if ((quotedSource.test(line) || echoedCommand.test(line)) && severity > severities.plain) severity = severities.plain
  if ((excused && !tally) || retried) severity = Math.min(severity, severities.warning)
  if (passed && (!tally || /^(?:ok|PASS)\b/.test(line) || passMark.test(line))) severity = severities.passed
  return { severity, tally, names: exceptions > severities.plain }
}
