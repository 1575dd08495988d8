/**
 * The kill ladder: SIGTERM to the group (without its shell: to each that is left), after the grace SIGKILL, then a verified sweep.
 *
 * Owns: the order and its waits. A second ending without grace overtakes a graceful one.
 * Ordering: whoever is in the tree is recorded before the first signal, while parents still lead to children.
 * Limits: the sweep goes on for at most 900 ms while someone is left.
 */
import { processLimits } from "@steno/contracts"
import { Deferred, Effect } from "effect"
import { type CommandKin, survivorOf } from "./command-kin.ts"
import type { Ending } from "./process-host.ts"
import { groupExists, signalOwnGroup, signalVerified } from "./process-signal.ts"
import { hasProcessTable, type ProcessEntry } from "./process-table.ts"

export interface EndingTarget {
  readonly kin: CommandKin
  /** The shell, while its status was not collected by this process; its pid is ours until then. */
  readonly uncollected: () => number | undefined
  /** The shell's group where there is no table to look at. */
  readonly group: number | undefined
}

const sweepMs = 900
const graceLookMs = 40
const sweepPausesMs = [4, 8, 16, 32]

export const whoIsLeft = (kin: CommandKin): Effect.Effect<ReadonlyArray<ProcessEntry>> =>
  Effect.callback<ReadonlyArray<ProcessEntry>>((resume) => kin.left((entries) => resume(Effect.succeed(entries))))

const signalGroup = (target: EndingTarget, signal: NodeJS.Signals): void => {
  const leader = target.uncollected()
  if (leader !== undefined) signalOwnGroup(leader, signal)
}

const isOver = (target: EndingTarget, left: ReadonlyArray<ProcessEntry>): boolean =>
  left.length === 0 && target.uncollected() === undefined &&
  (hasProcessTable() || target.group === undefined || !groupExists(target.group))

/** Oldest first: a shell whose child dies before it would go on to its next command. */
const byAge = (one: ProcessEntry, other: ProcessEntry): number =>
  Number(one.startTime) - Number(other.startTime) || one.pid - other.pid

/** SIGKILL to everyone left, until a look finds nobody; `ended` collects whom a signal reached. */
export const sweepKin = Effect.fnUntraced(function*(
  target: EndingTarget,
  ended: Map<number, ProcessEntry>
): Effect.fn.Return<Ending> {
  const until = performance.now() + sweepMs
  for (let round = 0;; round++) {
    const left = yield* whoIsLeft(target.kin)
    if (isOver(target, left)) return { kind: "confirmed" }
    for (const entry of left.toSorted(byAge)) {
      if (signalVerified(entry, "SIGKILL") === "sent") ended.set(entry.pid, entry)
    }
    if (performance.now() >= until) {
      return { kind: "unconfirmed", left: left.map(survivorOf) }
    }
    yield* Effect.sleep(sweepPausesMs[Math.min(round, sweepPausesMs.length - 1)] as number)
  }
})

/** For whom a shell left behind: each by itself, since the group's number may name another one by now. */
const signalEach = (left: ReadonlyArray<ProcessEntry>, signal: NodeJS.Signals): void => {
  for (const entry of left) signalVerified(entry, signal)
}

/** Nobody of the group runs; zombies that their parent does not collect do not count. */
const groupIsEmpty = Effect.fnUntraced(function*(target: EndingTarget): Effect.fn.Return<boolean> {
  if (target.group === undefined || !groupExists(target.group)) return true
  if (!hasProcessTable()) return false
  return (yield* whoIsLeft(target.kin)).every((entry) => entry.group !== target.group)
})

const nobodyIsLeft = (target: EndingTarget): Effect.Effect<boolean> =>
  Effect.map(whoIsLeft(target.kin), (left) => left.length === 0)

/** Resolves early when those who were asked are gone; `hurry` ends the grace. */
const grace = Effect.fnUntraced(function*(
  target: EndingTarget,
  areGone: (target: EndingTarget) => Effect.Effect<boolean>,
  hurry: Deferred.Deferred<void>
): Effect.fn.Return<void> {
  const until = performance.now() + processLimits.terminateGraceMs
  const wait = Effect.raceFirst(Effect.sleep(graceLookMs), Deferred.await(hurry))
  while (performance.now() < until && !Deferred.isDoneUnsafe(hurry)) {
    yield* wait
    if (target.uncollected() === undefined && (yield* areGone(target))) return
  }
})

export const endCommand = Effect.fnUntraced(function*(
  target: EndingTarget,
  hurry: Deferred.Deferred<void>
): Effect.fn.Return<Ending> {
  const left = yield* whoIsLeft(target.kin)
  if (!Deferred.isDoneUnsafe(hurry)) {
    if (target.uncollected() !== undefined) {
      signalGroup(target, "SIGTERM")
      yield* grace(target, groupIsEmpty, hurry)
    } else if (left.length > 0) {
      signalEach(left, "SIGTERM")
      yield* grace(target, nobodyIsLeft, hurry)
    }
  }
  signalGroup(target, "SIGKILL")
  return yield* sweepKin(target, new Map())
})
