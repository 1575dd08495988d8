/**
 * Decides which processes belong to one command.
 *
 * Owns: the rule: the shell, its group and session, the recorded tree, carriers of the marker, and all their descendants.
 * Never owns: reading the table (process-table), ending anything (command-ending).
 */
import type { ProcessEntry } from "./process-table.ts"

export interface KinTarget {
  /** The shell. Absent: only the marker and recorded processes count. */
  readonly root: { readonly pid: number; readonly startTime: string } | undefined
  /** Processes once seen in the tree: pid to start time. */
  readonly recorded: ReadonlyMap<number, string>
  /**
   * Whether the shell's pid still names its session: `no` once nobody was left, `if-witnessed` when nobody watched since
   * the shell ended; then only a known or marked process inside proves it.
   */
  readonly session: "ours" | "if-witnessed" | "no"
  /** Never named: this process. */
  readonly self: number
}

/** In the session or group that the shell began, as far as its pid still names them. */
export const isInSession = (root: KinTarget["root"], entry: ProcessEntry): boolean =>
  root !== undefined && (entry.session === root.pid || entry.group === root.pid) &&
  Number(entry.startTime) >= Number(root.startTime)

/** Members among `entries`, zombies included. `marked` are the pids whose environment holds the marker. */
export const kinOf = (
  entries: ReadonlyArray<ProcessEntry>,
  target: KinTarget,
  marked: ReadonlySet<number>
): ReadonlyArray<ProcessEntry> => {
  const { root } = target
  const children = new Map<number, Array<ProcessEntry>>()
  let rootReplaced = false
  for (const entry of entries) {
    const siblings = children.get(entry.parent)
    if (siblings === undefined) children.set(entry.parent, [entry])
    else siblings.push(entry)
    if (root !== undefined && entry.pid === root.pid && entry.startTime !== root.startTime) rootReplaced = true
  }
  const isKnown = (entry: ProcessEntry): boolean =>
    (root !== undefined && entry.pid === root.pid && entry.startTime === root.startTime) ||
    target.recorded.get(entry.pid) === entry.startTime ||
    marked.has(entry.pid)
  const inSession = (entry: ProcessEntry): boolean => isInSession(root, entry)
  const known = entries.filter(isKnown)
  const bySession = !rootReplaced &&
    (target.session === "ours" || (target.session === "if-witnessed" && known.some(inSession)))
  const members = new Map<number, ProcessEntry>()
  const waiting = bySession ? [...known, ...entries.filter(inSession)] : known
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    if (members.has(entry.pid) || entry.pid <= 1 || entry.pid === target.self) continue
    members.set(entry.pid, entry)
    waiting.push(...(children.get(entry.pid) ?? []))
  }
  return [...members.values()]
}
