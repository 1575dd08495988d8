/**
 * The vocabulary of compilers, test runners, package managers, servers and shells: which word says what.
 *
 * Owns: the class of each word, and finding a word by its hash.
 * Limits: English, lower case; where a word stands and what it means there is decided elsewhere.
 */

export type WordClass =
  /** The program cannot go on. */
  | "fatal"
  /** Something is called an error, or failed. */
  | "error"
  /** Something is not as it should be, in words that ordinary text uses as well. */
  | "trouble"
  | "warning"
  | "passed"
  /** An error that was awaited, skipped or dealt with. */
  | "excused"
  | "retried"
  | "negation"
  /** Counted at the end of a run, without being an error by itself. */
  | "counted"
  /** A field whose number says how grave a record is. */
  | "level"
  /** Says nothing by itself, but tells two messages apart. */
  | "connecting"

const listed: Readonly<Record<WordClass, string>> = {
  fatal: "fatal panic segfault sigsegv sigabrt sigkill sigbus sigill sigfpe panicked oom",
  error:
    "error errors err failed failure failures fail fails failing exception exceptions crash crashed abort aborted aborting conflict conflicts fault errored uncaught unhandled critical crit emergency emerg severe alert",
  trouble:
    "cannot can't couldn't unable denied refused unresolved undefined missing invalid timeout timeouts rejected declined unexpected killed incomplete mismatch mismatched violation violates violated corrupt corrupted exceeded exceeds unreachable unavailable deadlock race leak leaks leaked overflow overflowed underflow interrupted terminated truncated broken exhausted forbidden unauthorized illegal unsupported unknown unrecognized unsatisfied lost bad wrong duplicate dangling unmet incompatible stopped cancelled canceled malformed nonexistent stuck halted refusing won't doesn't isn't impossible",
  warning: "warning warnings warn warned deprecated caution deprecation",
  passed: "ok pass passed passes passing success successful succeeded successfully done",
  excused: "xfail xfailed skip skipped skipping todo handled ignored ignoring ignore tolerated suppressed pending",
  retried: "retry retrying retries",
  negation: "no without zero none never",
  counted: "problems problem issues issue",
  level: "level severity lvl",
  connecting:
    "traceback not but is was are by of in to from at for with and or has be can could should must than expected null false true found space memory data core dumped timed out permission connection file such"
}

const hashSeed = 0x811c9dc5

/** One step of a 32-bit FNV-1a hash. */
export const mix = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193)

export const emptyHash: number = hashSeed

const hashOf = (word: string): number => {
  let hash = hashSeed
  for (let at = 0; at < word.length; at++) hash = mix(hash, word.charCodeAt(at))
  return hash
}

const classes: ReadonlyMap<string, WordClass> = new Map(
  (Object.keys(listed) as ReadonlyArray<WordClass>).flatMap((wordClass) =>
    listed[wordClass].split(" ").map((word) => [word, wordClass] as const)
  )
)

export const classOfWord = (word: string): WordClass | undefined => classes.get(word)

const slots = 4_096
const knownHashes = new Int32Array(slots)
for (const word of classes.keys()) {
  let slot = hashOf(word) & (slots - 1)
  while (knownHashes[slot] !== 0) slot = (slot + 1) & (slots - 1)
  knownHashes[slot] = hashOf(word)
}

/** Whether a word of the vocabulary has this hash of its lower-case letters. */
export const isKnownWord = (hash: number): boolean => {
  let slot = hash & (slots - 1)
  for (;;) {
    const known = knownHashes[slot]
    if (known === hash) return true
    if (known === 0) return false
    slot = (slot + 1) & (slots - 1)
  }
}

const levelHashes: ReadonlySet<number> = new Set(listed.level.split(" ").map(hashOf))

/** Whether the number after this word is to be told apart from other numbers. */
export const isLevelWord = (hash: number): boolean => levelHashes.has(hash)
