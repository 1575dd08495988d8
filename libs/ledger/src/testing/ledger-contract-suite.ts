/**
 * The contract of a ledger, run on each engine.
 *
 * Owns: what every implementation of RunLedger, TurnLedger, CallLedger, OperationLedger, RetentionLedger and
 *   CommittedFacts must hold.
 */
import { describe } from "vitest"
import { callClaims } from "./call-claims.ts"
import { claimOn, type MakeLayer } from "./contract-test.ts"
import { contextClaims } from "./context-claims.ts"
import { factClaims } from "./fact-claims.ts"
import { interactionClaims } from "./interaction-claims.ts"
import { operationClaims } from "./operation-claims.ts"
import { proposalClaims } from "./proposal-claims.ts"
import { retentionClaims } from "./retention-claims.ts"
import { runClaims } from "./run-claims.ts"
import { turnClaims } from "./turn-claims.ts"

/** Registers the suite under `name`. `makeLayer` makes an empty store for each claim. */
export const ledgerContractSuite = (name: string, makeLayer: MakeLayer): void => {
  const claim = claimOn(makeLayer)
  describe(`${name}: Runs`, () => runClaims(claim))
  describe(`${name}: Turns`, () => turnClaims(claim))
  describe(`${name}: tool calls`, () => callClaims(claim))
  describe(`${name}: calls of a model`, () => proposalClaims(claim))
  describe(`${name}: interactions`, () => interactionClaims(claim))
  describe(`${name}: context of a model`, () => contextClaims(claim))
  describe(`${name}: Operations`, () => operationClaims(claim))
  describe(`${name}: retention`, () => retentionClaims(claim))
  describe(`${name}: committed facts`, () => factClaims(claim, makeLayer))
}
