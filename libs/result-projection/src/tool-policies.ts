/**
 * The policy of every tool that Steno runs.
 *
 * Limits: one table over the closed set of names; a tool without a policy does not compile.
 */
import type { ToolName } from "@steno/contracts"
import { commandPolicy } from "./command-policy.ts"
import { askUserPolicy } from "./policy-human.ts"
import { explorePolicy } from "./policy-explore.ts"
import { agentPolicy, asyncBashPolicy } from "./policy-lifecycle.ts"
import { findPolicy, lsPolicy } from "./policy-listing.ts"
import { agentControlPolicy, editPolicy, writePolicy } from "./policy-mutation.ts"
import { readPolicy } from "./policy-read.ts"
import { grepPolicy } from "./policy-search.ts"
import type { ToolPolicy, ValuePolicy } from "./tool-policy.ts"
import type { ToolValues, ValueTool } from "./tool-results.ts"

export const valuePolicies: {
  readonly [Name in ValueTool]: ValuePolicy<ToolValues[Name]["arguments"], ToolValues[Name]["result"]>
} = {
  read: readPolicy,
  grep: grepPolicy,
  find: findPolicy,
  ls: lsPolicy,
  write: writePolicy,
  edit: editPolicy,
  async_bash: asyncBashPolicy,
  ask_user: askUserPolicy,
  explore: explorePolicy,
  agent: agentPolicy,
  run_done: agentControlPolicy,
  run_failed: agentControlPolicy
}

export const toolPolicies: { readonly [Name in ToolName]: ToolPolicy<Name> } = { ...valuePolicies, bash: commandPolicy }

export const isValueTool = (tool: string): tool is ValueTool => Object.hasOwn(valuePolicies, tool)
