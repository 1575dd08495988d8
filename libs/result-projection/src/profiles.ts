/**
 * The budgets of each profile: what fits unchanged, and what is left when it does not.
 *
 * Owns: every number of a profile, in one table.
 * Limits: lines and UTF-8 bytes of text; images cost nothing. A profile without a tool is not listed.
 */
export interface Budget {
  readonly lines: number
  readonly bytes: number
}

export interface Profile {
  readonly name: string
  /** Up to this a candidate's payload is shown unchanged. */
  readonly inline: Budget
  /** What is shown otherwise: text, notice and recovery text together; for processes the payload with its number prefixes. */
  readonly overflow: Budget
  /** Lines of a source or an answer, whatever frames them. */
  readonly contentLines?: number
  readonly items?: number
  /** Payload and everything around it, once an output overflowed. */
  readonly wholeText?: Budget
}

const one = (lines: number, bytes: number) => ({ inline: { lines, bytes }, overflow: { lines, bytes } })

export const profiles = {
  source_text: { name: "source_text", ...one(202, 24_000), contentLines: 200 },
  process_diagnostics: {
    name: "process_diagnostics",
    inline: { lines: 84, bytes: 12_000 },
    overflow: { lines: 16, bytes: 4_000 },
    wholeText: { lines: 36, bytes: 6_000 }
  },
  search_matches: { name: "search_matches", ...one(80, 16_000) },
  file_listing: { name: "file_listing", ...one(120, 12_000), items: 120 },
  mutation_acknowledgement: { name: "mutation_acknowledgement", ...one(40, 4_000) },
  lifecycle_state: { name: "lifecycle_state", ...one(80, 8_000) },
  /** Of each report; the call as a whole has no ceiling. */
  delegated_reports: {
    name: "delegated_reports",
    inline: { lines: 60, bytes: 6_000 },
    overflow: { lines: 12, bytes: 3_000 }
  },
  human_response: { name: "human_response", ...one(202, 24_000), contentLines: 200 },
  terminal_outcome: { name: "terminal_outcome", ...one(40, 4_000) },
  conservative_fallback: { name: "conservative_fallback", ...one(200, 24_000) }
} as const satisfies Readonly<Record<string, Profile>>

export type ProfileName = keyof typeof profiles

export const processDiagnosticsProfile = profiles.process_diagnostics
