/**
 * Decides at each operation whether it fails, and keeps the trace.
 *
 * Owns: counting operations of the same words, the span of a fault.
 * Ordering: a line of the trace is written before the operation is done or refused.
 */
import { openSync, writeSync } from "node:fs"
import type { FaultCode, FaultPlan, FaultSide } from "./fault-plan.ts"

export interface FaultInjector {
  readonly home: string
  /** The code this operation fails with; undefined: it is to be done. */
  readonly reach: (side: FaultSide, words: string) => FaultCode | undefined
}

/** Keeps the functions it needs, so that it is free of the faults it gives. */
export const makeFaultInjector = ({ fault, home, trace }: FaultPlan): FaultInjector => {
  const write = writeSync
  const fd = openSync(trace, "a")
  const counts = new Map<string, number>()
  let isBroken = false

  const isMeant = (side: FaultSide, words: string, nth: number): boolean => {
    if (fault === undefined) return false
    const { point, span } = fault
    if (point.side === side && point.words === words && point.nth === nth) {
      isBroken = span !== "once"
      return true
    }
    return isBroken && (span === "disk" || side === point.side)
  }

  return {
    home,
    reach: (side, words) => {
      const key = `${side} ${words}`
      const nth = (counts.get(key) ?? 0) + 1
      counts.set(key, nth)
      const failed = isMeant(side, words, nth)
      write(fd, `${JSON.stringify({ side, words, nth, failed })}\n`)
      return failed ? fault?.code : undefined
    }
  }
}
