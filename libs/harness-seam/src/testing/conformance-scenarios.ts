/**
 * What a harness has to play for the conformance suite, in the words of its own protocol.
 *
 * Owns: the scenarios. A subject plays each one whose capability its profile claims; it plays one that needs no
 * capability always, unless it is marked as a matter of the protocol.
 */
import type { CapabilityName } from "../harness-profile.ts"

interface Scenario {
  /** What the native side does in each Turn; `"…"` is exact text, `\n` a newline. */
  readonly play: string
  readonly needs?: CapabilityName
  /** Only where the harness is a program: it reports calls that it runs itself, and may be lost, late or unreadable. */
  readonly program?: true
  /** Not every protocol has it. */
  readonly optional?: true
}

const scenarios = <const Name extends string>(all: Readonly<Record<Name, Scenario>>): Readonly<Record<Name, Scenario>> =>
  all

export const conformanceScenarios = scenarios({
  "text": { play: "one message in two pieces, \"Hel\" and \"lo\", then completed; the same in every further Turn" },
  "two-blocks": { play: "two text blocks of one native message, \"one\" and \"two\", then completed" },
  "calls": {
    program: true,
    play: "commands A (input \"a\") and B (input \"b\") start in this order; B ends first, completed with \"out-b\\n\"; " +
      "A ends failed with \"out-a\\n\"; then completed"
  },
  "long-output": { program: true, play: "a command that starts, then ends with 30,001 times x as output; then completed" },
  "running-call": { program: true, play: "a command starts and never ends; then completed" },
  "pending-text": { play: "a message \"half\" in one piece that never settles; then the harness declares an error" },
  "thoughts": {
    needs: "thought-summaries",
    play: "a summary of blanks only, then one of \"plan\"; then completed"
  },
  "diff": { needs: "turn-diff", play: "300 cumulative diffs, the last of files f0 to f299; then completed" },
  "approval": { needs: "approvals", play: "one approval for a command; answered in any way, then completed; SIGTERM does not end the program, its stdin does" },
  "two-approvals": { needs: "approvals", play: "two approvals open at once; when both are answered, completed" },
  "open-approval": { needs: "approvals", play: "one approval; completed while it is open" },
  "approval-in-turn-2": { needs: "approvals", play: "a Turn that completes, then the scenario \"approval\"" },
  "steer": { needs: "steer", play: "waits for a Steer, takes and delivers it; then completed" },
  "pending-steer": { needs: "steer", play: "takes a Steer, never delivers it; interrupted when asked, with confirmation" },
  "interrupt": { needs: "interruption", play: "a command runs until the interrupt is asked for; the end is confirmed" },
  "interrupt-unconfirmed": {
    program: true,
    needs: "interruption",
    play: "as \"interrupt\", acknowledged and never ended; the process has to be killed"
  },
  "interrupt-late": {
    program: true,
    needs: "interruption",
    play: "a command starts and completes; the interrupt is acknowledged, and confirmed only when the program is asked to stop"
  },
  "process-dies": { program: true, play: "a message \"half\" in one piece, then the process is gone" },
  "resume": { needs: "recovery", play: "prepared with the coordinate \"native-1\"; old frames are replayed, then \"text\"" },
  "refused-resume": { needs: "recovery", play: "prepared with the coordinate \"native-1\"; the native session is gone" },
  "unknown-frames": { program: true, play: "an unknown notification, a frame of another Turn, a malformed field; then \"text\"" },
  "long-line": { program: true, play: "a message \"half\" in one piece, then a line longer than the protocol's limit" },
  "late-frames": { program: true, play: "\"text\"; after its end the frames of another message and call" },
  "agent-call": { optional: true, play: "run_done with reason \"all done\"; when it was answered, completed" },
  "execute": { optional: true, play: "asks the client to run \"make\", reports the same call natively; then completed" },
  "checkpoint": { optional: true, play: "names the coordinate of its native session during the Turn; then \"text\"" },
  "context": {
    optional: true,
    play: "a context report of usedTokens 1 and limitTokens 10, then one of usedTokens 2 alone; then completed"
  },
  "secret": {
    program: true,
    play: "a message and a command's output \"x S y\", each in pieces that split S, the secret it was prepared with; completed"
  }
})

/** The secret that the scenario of that name is prepared with. */
export const conformanceSecret = "steno-secret-0123456789"

export type ScenarioName = keyof typeof conformanceScenarios
