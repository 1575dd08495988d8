/**
 * Judges calls by the rules of the home, the Workspace and the Session.
 *
 * Owns: joining files, real paths and the pure decision.
 * Never owns: asking a person, recording the decision, starting or refusing anything (tool-call-service).
 * Ordering: files are read anew for every call, so that a rule counts for the next call after it was saved.
 * Limits: a caller takes a failure or defect of this port as `approval`; a direct command is refused then.
 */
import type { PolicyRule } from "@steno/contracts"
import { Context, Effect, Layer } from "effect"
import type { CallToJudge } from "./call-units.ts"
import { decideCall, type PolicyDecision, prepareCall } from "./decide-call.ts"
import { PathResolver } from "./path-facts.ts"
import { PolicyFiles, type PolicyHome } from "./policy-files.ts"
import { policyLayers } from "./policy-layers.ts"

export interface JudgedCall extends CallToJudge {
  /** The Run's Workspace, absolute. */
  readonly workspace: string
  /** Folders of the Session's own call files, absolute. */
  readonly ownFiles: ReadonlyArray<string>
  /** Rules that a person allowed for this Session. */
  readonly sessionRules: ReadonlyArray<PolicyRule>
}

export interface DirectCommand {
  readonly command: string
  /** Absolute; absent: the Workspace. */
  readonly cwd?: string
  readonly workspace: string
}

export class PermissionPolicy extends Context.Service<PermissionPolicy, {
  /** The decision about a call of a model or of an outside agent's client. */
  readonly judge: (call: JudgedCall) => Effect.Effect<PolicyDecision>
  /**
   * The decision about a command that a person typed: `allow`, or `deny` by a guardrail, a rule that denies, or an invalid
   * policy file (`fault`). Never `approval`. docs/adr/0011-authorise-a-direct-command-by-who-typed-it.md
   */
  readonly judgeDirectCommand: (command: DirectCommand) => Effect.Effect<PolicyDecision>
}>()("@steno/permission-policy/PermissionPolicy") {
  static readonly layerNoDeps = (home: PolicyHome): Layer.Layer<PermissionPolicy, never, PolicyFiles | PathResolver> =>
    Layer.effect(PermissionPolicy, makePermissionPolicy(home))

  static readonly layer = (home: PolicyHome): Layer.Layer<PermissionPolicy> =>
    PermissionPolicy.layerNoDeps(home).pipe(Layer.provide([PolicyFiles.layer(home), PathResolver.layer]))
}

const makePermissionPolicy = Effect.fnUntraced(function*(home: PolicyHome) {
  const files = yield* PolicyFiles
  const resolver = yield* PathResolver

  const judge = Effect.fn("PermissionPolicy.judge")(function*(call: JudgedCall) {
    const { confirmed, fault, user, workspace, workspaceFile } = yield* files.load(call.workspace)
    const folders = yield* resolver.resolve([home.stenoHome, home.userHome, ...call.ownFiles])
    const real = (path: string) => folders.get(path)?.real ?? path
    const place = { workspace, stenoHome: real(home.stenoHome), userHome: real(home.userHome), ownFiles: call.ownFiles.map(real) }
    const layers = policyLayers({
      session: call.sessionRules,
      workspace: confirmed ? workspaceFile.rules : [],
      user: user.rules,
      ...(fault === undefined ? {} : { fault })
    }, { workspace, userHome: home.userHome })
    const prepared = prepareCall(call, place)
    return decideCall(prepared, yield* resolver.resolve(prepared.paths), layers)
  })

  return PermissionPolicy.of({
    judge,
    judgeDirectCommand: ({ command, cwd, workspace }) =>
      judge({
        tool: "bash",
        risk: "execute",
        origin: "user",
        arguments: { command, ...(cwd === undefined ? {} : { cwd }) },
        workspace,
        ownFiles: [],
        sessionRules: []
      })
  })
})
