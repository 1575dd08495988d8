/** Why an agent stopped, by the answer to its prompt. */
import type { StopReason } from "@agentclientprotocol/sdk"
import type { NativeAnswer } from "./acp-message.ts"
import { textOf } from "./lenient-value.ts"

const known: ReadonlySet<string> = new Set<StopReason>(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"])

/** `error`: the prompt was refused; `unknown`: a reason that the protocol does not have. */
export const endedBy = (answer: NativeAnswer): StopReason | "error" | "unknown" => {
  if (answer.kind === "error") return "error"
  const reason = textOf(answer.result.stopReason) ?? ""
  return known.has(reason) ? reason as StopReason : "unknown"
}
