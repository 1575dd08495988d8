/** The Problems of Operations on a Run that is there but does not take them now. */
import type { CallId, RequestId, RunId, RunState } from "@steno/contracts"
import type { RunRecord } from "@steno/ledger"
import { makeProblem } from "./problems.ts"

export const runTerminal = (runId: RunId) =>
  makeProblem("run-terminal", `Run ${runId} is cancelled, and that is final.`, "Start a new Run.", { details: { run: runId } })

export const noLiveTurn = (runId: RunId) =>
  makeProblem(
    "turn-control-rejected",
    "No Turn of this Run is live.",
    `Look at the Run with \`steno run show ${runId}\`.`,
    { details: { run: runId } }
  )

export const notTaken = (runId: RunId) =>
  makeProblem(
    "turn-control-rejected",
    "A Run of direct commands takes no answer, further input or control but interrupt, cancel and delete.",
    "Start another Run.",
    { details: { run: runId } }
  )

export const turnBusy = (runId: RunId) =>
  makeProblem(
    "turn-busy",
    "A Turn of this Run is live.",
    "Wait until the Run rests, steer the Turn with `steno run steer`, or interrupt it with `steno run interrupt`.",
    { details: { run: runId } }
  )

/** @param what names the calls or the review that a person has to answer first */
export const awaitsAnswer = ({ run: { runId }, turns }: RunRecord, what: ReadonlyArray<CallId | RequestId>) =>
  makeProblem(
    "turn-busy",
    what.length === 1 ? `Call ${what[0]} waits for an answer.` : `${what.length} calls wait for an answer.`,
    turns.some(({ result }) => result === undefined)
      ? `Answer with \`steno run answer ${runId}\`, or end the Turn with \`steno run interrupt ${runId}\`.`
      : `Decide with \`steno run answer ${runId} --continue\` or \`--stop\`.`,
    { details: { run: runId, calls: what.join(" ") } }
  )

export const notInteractive = (runId: RunId) =>
  makeProblem(
    "turn-control-rejected",
    "Only an interactive Run is ended by a person; this one rests by itself.",
    `Look at the Run with \`steno run show ${runId}\`.`,
    { details: { run: runId } }
  )

export const hasEnded = (runId: RunId, state: RunState) =>
  makeProblem(
    "turn-control-rejected",
    `The Run was ended already: ${state}.`,
    `\`steno run send ${runId}\` goes on with it.`,
    { details: { run: runId, state } }
  )

const noSteer = (runId: RunId, remediation: string) =>
  makeProblem("steer-unavailable", "No Turn of this Run is live that a text could be sent into.", remediation, { details: { run: runId } })

/** What is live is not the Turn that was meant. */
export const noTurnToSteer = (runId: RunId) => noSteer(runId, `Look at the Run with \`steno run show ${runId}\`.`)

/** @param what names the calls or the review that a person has to answer first */
export const restsUnsteered = ({ run: { runId } }: RunRecord, what: ReadonlyArray<CallId | RequestId>) =>
  noSteer(
    runId,
    what.length === 0
      ? `Start another Turn with \`steno run send ${runId}\`.`
      : `Answer first what it asks: \`steno run show ${runId}\` says how. A denial may hold a text for the model.`
  )

/** @param reason of the receipt */
export const steerRejected = (runId: RunId, reason: string) =>
  makeProblem(
    "steer-rejected",
    `The Turn did not take the text: ${reason}.`,
    "Send it as a further Turn when the Run rests.",
    { details: { run: runId, reason } }
  )

/** Where the Run's input or Session cannot be read any more, nothing can drive it on. */
export const cannotGoOn = (runId: RunId) =>
  makeProblem(
    "run-store-damaged",
    "What this Run was started with cannot be read any more, so that it cannot go on.",
    "Start a new Run; `steno run show` and `steno run export` still show what is left of this one.",
    { details: { run: runId } }
  )

/** A further Turn would begin another conversation under the name of the one that is gone. */
export const conversationGone = (runId: RunId, session: string) =>
  makeProblem(
    "turn-control-rejected",
    `The conversation of Session ${session} with its agent is gone: it takes no further Turn.`,
    "Start a new Run; `steno run show` and `steno run export` still show this one.",
    { details: { run: runId, session } }
  )

/** Nobody drives the Run, and what would bring it to rest fails. */
export const notSettled = (runId: RunId) =>
  makeProblem(
    "storage-failed",
    `Run ${runId} is driven by nobody, and could not be brought to rest.`,
    "Repeat the command; if it fails again, look at the record with `steno doctor`.",
    { possibleEffects: "unknown", details: { run: runId } }
  )
