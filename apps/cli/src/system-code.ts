/** The system's name of a fault. */
import { Predicate } from "effect"

/** `ENOENT` and its like; `unknown` where a fault has none. */
export const systemCode = (fault: unknown): string =>
  Predicate.hasProperty(fault, "code") && Predicate.isString(fault.code) ? fault.code : "unknown"
