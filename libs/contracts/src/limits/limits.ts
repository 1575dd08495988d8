/**
 * Limits that several boundaries quote, each with its unit in the name.
 *
 * Owns: the numbers. A limit of one boundary is never reused at another.
 * Never owns: profiles of the result projection (result-projection).
 */
const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** Capture, for each of stdout.txt, stderr.txt and output.txt by itself. */
export const captureLimits = {
  /** Kept from the start of a stream. */
  headBytes: 12 * mebibyte,
  /** Kept from the end of a stream once it is longer than `headBytes`. */
  tailBytes: 4 * mebibyte,
  /** How far output.txt may move a border of its gap to reach a line end. */
  borderBytes: 64 * kibibyte,
  /** A partial line waits this long for its end before it goes into output.txt. */
  partialLineMs: 200,
  /** A partial line above this goes into output.txt at once. */
  partialLineBytes: 8 * kibibyte,
  /** Bytes of one stream that may wait to be written before its pipe is paused. */
  waitingBytes: mebibyte,
  /** Largest single write. */
  writeBytes: 256 * kibibyte
} as const

/** What is told live of a command that prints nothing. */
export const quietLimits = {
  /** A silence is told once it is this long. */
  quietMs: 30_000,
  /** The end of an unfinished line that is told with it. */
  lineBytes: 512
} as const

/** Text of a call's output kept with its settlement, in UTF-16 units. */
export const retainedOutputUnits = 30_000

/** How a command ends. */
export const processLimits = {
  /** From SIGTERM to SIGKILL. */
  terminateGraceMs: 2_000,
  /** Pipes held by others are let go this long after the shell exited. */
  pipeHoldMs: 1_000,
  /** A cancel waits this long for confirmation that everything is gone. */
  cancelConfirmMs: 3_000,
  /** A survivor's command line is named up to this many characters. */
  survivorCommandCharacters: 200,
  /** Processes that run at once; further ones wait. */
  concurrentProcesses: 32
} as const

/** Calls of one Run. */
export const toolCallLimits = {
  /** Executed calls that run at once; a setting. */
  runningAtOnce: 8
} as const

/** Line pages of captured output. */
export const pageLimits = {
  defaultLines: 100,
  maximumLines: 500,
  /** A longer line is cut here in a page and listed in `truncatedLines`; its bytes are read with `--raw`. */
  lineBytes: 64 * kibibyte
} as const

/** Card projection of one call. */
export const cardLimits = { lines: 6, bytes: 8 * kibibyte } as const

/** The ledger. */
export const ledgerLimits = {
  /** A write waits this long for another writer before it is refused as busy. */
  busyMs: 5_000,
  /** How often commits of other processes are looked for. */
  watchMs: 100
} as const

/** Run lists. */
export const runListLimits = { defaultRows: 20, maximumRows: 200, inputCharacters: 200 } as const

/** Of a stored text that cannot be read as an event, this many UTF-16 units are shown. */
export const unreadableTextUnits = 2_000

/** Opening a home answers after at most this long; what is left to reconcile goes on behind. */
export const reconcileAnswerMs = 1_000

/** Wall-time limit of a command, in milliseconds. */
export const commandTimeoutMs = { minimum: 1, maximum: 86_400_000 } as const

/** Lines that a program and Steno exchange over stdio. */
export const protocolLineLimits = {
  /** A longer line is skipped and told; its newline is not counted. */
  lineBytes: 16 * mebibyte,
  /** Lines of plain text before the first JSON line. */
  preambleLines: 64,
  /** Bytes of those lines, newlines included. */
  preambleBytes: 64 * kibibyte,
  /** The end of stderr that is kept for diagnostics. */
  stderrTailBytes: 64 * kibibyte
} as const

/** How long a harness may take. */
export const harnessLimits = {
  /** Asking for its version, and each probe. */
  probeMs: 10_000,
  /** From a native interrupt to its confirmation; then the process is asked to stop. */
  interruptConfirmMs: 3_000,
  /** From that request to SIGKILL. */
  interruptStopMs: 2_000,
  /** A Turn whose process exited is settled within. */
  exitSettleMs: 2_000,
  /** A Turn without a native end, whose native session is idle, is settled within. */
  idleSettleMs: 10_000,
  /** A running call without an update for this long is told to be silent. */
  silentCallMs: 120_000
} as const

/** Requests of the built-in loop to a model provider. */
export const modelRequestLimits = {
  /** Of one request, the first one included. */
  attempts: 3,
  /** Before the second attempt; each further wait is twice as long. */
  firstRetryMs: 1_000
} as const

/** A failure of a Turn in words, in UTF-16 units. */
export const turnFailureUnits = 512

/** The reason of an Agent call, in characters. */
export const agentCallReasonCharacters = 400
