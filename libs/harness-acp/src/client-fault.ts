/** Why a method of the client was refused; the agent is told. */
import type { ExecutionAnswer } from "@steno/harness-seam"
import { errorCodes, type NativeError } from "./acp-message.ts"

const codes = {
  "invalid-params": errorCodes.invalidParams,
  "not-offered": errorCodes.methodNotFound,
  "refused": errorCodes.internal
} as const

export class ClientFault {
  readonly error: NativeError

  constructor(reason: keyof typeof codes, message: string) {
    this.error = { code: codes[reason], message }
  }
}

/** Nothing ran. */
export const refusedExecution = (answer: Exclude<ExecutionAnswer, { readonly kind: "started" }>): ClientFault =>
  new ClientFault("refused", answer.kind === "denied" ? `Refused: ${answer.reason}` : "The Run has another owner by now")
