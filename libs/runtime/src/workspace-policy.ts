/** What `policy show` and `policy confirm` ask of a home and a Workspace. */
import type { PolicyConfirmation, PolicyDocument } from "@steno/contracts"
import type { PortProblem } from "@steno/projection-port"
import { Context, type Effect } from "effect"

export class WorkspacePolicy extends Context.Service<WorkspacePolicy, {
  /**
   * Every layer that decides about calls in a Workspace, nearest first, without the rules of a Session. Changes nothing; an invalid
   * file is part of the answer. Fails with `workspace-not-found`.
   *
   * @param workspace absolute
   */
  readonly show: (workspace: string) => Effect.Effect<PolicyDocument, PortProblem>
  /**
   * Confirms the Workspace's policy file as it is. Idempotent. Fails with `policy-not-found`, `policy-invalid`, or `policy-changed`
   * when its digest is not the given one; nothing is written then.
   */
  readonly confirm: (workspace: string, digest?: string) => Effect.Effect<PolicyConfirmation, PortProblem>
}>()("@steno/runtime/WorkspacePolicy") {}
