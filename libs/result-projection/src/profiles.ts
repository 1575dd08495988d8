/**
 * The budgets of each profile: what fits unchanged, and what is left when it does not.
 *
 * Limits: lines and UTF-8 bytes of the payload; status, markers and paths are outside of it. A profile without a tool is not listed.
 */
export interface Budget {
  readonly lines: number
  readonly bytes: number
}

export interface Profile {
  readonly name: string
  readonly inline: Budget
  /** Number prefixes count. */
  readonly overflow: Budget
  /** Payload and everything around it, once the result overflowed. */
  readonly wholeText: Budget
}

export const processDiagnosticsProfile: Profile = {
  name: "process_diagnostics",
  inline: { lines: 84, bytes: 12_000 },
  overflow: { lines: 16, bytes: 4_000 },
  wholeText: { lines: 36, bytes: 6_000 }
}
