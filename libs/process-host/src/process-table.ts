/**
 * Reads the machine's process table from `/proc`.
 *
 * Owns: parsing of `/proc/PID/stat`, markers in `/proc/PID/environ`, command lines, the boot id.
 * Never owns: which processes belong together (process-kin), signals (process-signal).
 * Limits: a scan reads at most 64 processes without giving way to the event loop. Without `/proc` every answer is empty.
 */
import { Buffer } from "node:buffer"
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** One letter of the kernel; `Z` and `X` no longer run. */
  readonly state: string
  /** Clock ticks since boot. */
  readonly startTime: string
  readonly name: string
  /** It has begun to exit and cannot go back. */
  readonly isExiting: boolean
  /** As `waitpid` would give it; readable while the process is a zombie. */
  readonly waitStatus: number
}

const slice = 64
/** PF_EXITING of the kernel. */
const exitingFlag = 0x4
const scratch = Buffer.allocUnsafe(64 * 1024)

const readProcFile = (path: string): Buffer | undefined => {
  let fd: number
  try {
    fd = openSync(path, "r")
  } catch {
    return undefined
  }
  try {
    const parts: Array<Buffer> = []
    for (;;) {
      const count = readSync(fd, scratch, 0, scratch.length, null)
      if (count === 0) break
      parts.push(Buffer.from(scratch.subarray(0, count)))
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}

/** The name may hold blanks and brackets: fields are counted after the last `)`. */
export const parseStat = (text: string): ProcessEntry | undefined => {
  const open = text.indexOf("(")
  const close = text.lastIndexOf(")")
  if (open < 0 || close < open) return undefined
  const pid = Number(text.slice(0, open))
  const fields = text.slice(close + 2).trimEnd().split(" ")
  const [state, parent, group, session] = fields
  const startTime = fields[19]
  if (!Number.isInteger(pid) || pid <= 0 || state === undefined || startTime === undefined) return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    state,
    startTime,
    name: text.slice(open + 1, close),
    isExiting: (Number(fields[6]) & exitingFlag) !== 0,
    waitStatus: Number(fields[49] ?? 0)
  }
}

/** Absent: no such process (or no `/proc`). */
export const readProcess = (pid: number): ProcessEntry | undefined => {
  const text = readProcFile(`/proc/${pid}/stat`)
  return text === undefined ? undefined : parseStat(text.toString("utf8"))
}

/** Dead but not yet collected by its parent. */
export const isZombie = (entry: ProcessEntry): boolean => entry.state === "Z" || entry.state === "X"

export const isZombiePid = (pid: number): boolean => {
  const entry = readProcess(pid)
  return entry !== undefined && isZombie(entry)
}

const readBootId = (): string | undefined => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return undefined
  }
}

/** Of the running machine; absent without `/proc`. */
export const bootId: string | undefined = readBootId()

export const hasProcessTable = (): boolean => bootId !== undefined

/** Pids of all processes, threads not included. */
export const listPids = (): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc").filter((name) => name.charCodeAt(0) >= 49 && name.charCodeAt(0) <= 57).map(Number)
  } catch {
    return []
  }
}

/** The pid handed out last; absent where the kernel does not say. */
export const lastPid = (): number | undefined => {
  const text = readProcFile("/proc/loadavg")
  const pid = text === undefined ? Number.NaN : Number(text.toString("latin1").trim().split(" ").at(-1))
  return Number.isInteger(pid) ? pid : undefined
}

/** Whether the environment the process was started with holds `NAME=value`. Unreadable ones hold nothing. */
export const hasMarker = (pid: number, marker: { readonly name: string; readonly value: string }): boolean => {
  const environ = readProcFile(`/proc/${pid}/environ`)
  if (environ === undefined) return false
  const needle = Buffer.from(`${marker.name}=${marker.value}\0`)
  let at = environ.indexOf(needle)
  while (at > 0 && environ[at - 1] !== 0) at = environ.indexOf(needle, at + 1)
  return at >= 0
}

const unprintable = /[\p{Cc}\p{Cf}\s]+/gu

/** The command line on one line, at most `characters` long, never cut inside a pair; the name in brackets when it has none. */
export const commandLine = (entry: ProcessEntry, characters: number): string => {
  const bytes = readProcFile(`/proc/${entry.pid}/cmdline`)
  const words = (bytes?.toString("utf8") ?? "").replace(unprintable, " ").trim()
  const text = words === "" ? `[${entry.name.replace(unprintable, " ")}]` : words
  if (text.length <= characters) return text.toWellFormed()
  const cut = text.slice(0, characters)
  return (/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut).toWellFormed()
}

/** Reads the given processes slice by slice; calls `done` once, possibly at once. */
export const scanProcesses = (
  pids: ReadonlyArray<number>,
  done: (entries: ReadonlyArray<ProcessEntry>) => void
): void => {
  const entries: Array<ProcessEntry> = []
  const from = (start: number): void => {
    const end = Math.min(start + slice, pids.length)
    for (let index = start; index < end; index++) {
      const entry = readProcess(pids[index] as number)
      if (entry !== undefined) entries.push(entry)
    }
    if (end < pids.length) setImmediate(() => from(end))
    else done(entries)
  }
  from(0)
}
