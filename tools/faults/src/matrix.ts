/**
 * Which faults are tried: one operation of a Run each.
 *
 * Owns: the choice. EIO once at every operation; of the other codes and spans each operation takes its share in turn,
 * all of them when everything is asked for.
 */
import { type Fault, type FaultCode, faultCodes, type FaultPoint, type FaultSpan, faultSpans } from "./fault-plan.ts"

interface Kind {
  readonly code: FaultCode
  readonly span: FaultSpan
}

const kinds: ReadonlyArray<Kind> = faultSpans.flatMap((span) => faultCodes.map((code) => ({ code, span })))

/** The first kind goes to every operation, one of the others to each in turn. */
export const faultsAt = (points: ReadonlyArray<FaultPoint>, everything: boolean): ReadonlyArray<Fault> => {
  const [always, ...others] = kinds
  return points.flatMap((point, index) =>
    kinds
      .filter((kind) => everything || kind === always || kind === others[index % others.length])
      .map((kind) => ({ point, ...kind })))
}

const spanWords: Readonly<Record<FaultSpan, string>> = {
  once: "once",
  side: "from then on, all of its side",
  disk: "from then on, files and record"
}

export const kindWords = ({ code, point, span }: Fault): string =>
  `${code} ${spanWords[span]}, at ${point.side === "file" ? "file operations" : "writes of the record"}`

export const faultWords = ({ code, point, span }: Fault): string =>
  `${code} ${spanWords[span]}, at ${point.words}${point.nth === 1 ? "" : ` (${point.nth})`}`
