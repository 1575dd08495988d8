/**
 * What is said between the owner of a Run and the server that its outside agent starts to call it.
 *
 * Owns: the variables that name the socket, the line that is asked.
 * Ordering: a connection asks one line and is answered one line, an `AgentCallReply`; one that asks nothing is held until the Turn
 * is over, so that its end tells of it.
 * Limits: imports nothing, because that server starts beside every Turn.
 */

/** The variables that the server finds its way by; a token never stands among arguments, which anybody on the machine can read. */
export const agentCallVariables = { socket: "STENO_AGENT_CALL_SOCKET", token: "STENO_AGENT_CALL_TOKEN" } as const

/** The longest line that is read, in UTF-8 bytes. */
export const agentCallLineBytes = 8 * 1024

export interface AgentCallLine {
  readonly token: string
  /** Unique in the Turn. */
  readonly id: string
  readonly call: "run_done" | "run_failed"
  readonly reason: string
}
