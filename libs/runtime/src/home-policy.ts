/**
 * `WorkspacePolicy` of the home at a path.
 *
 * Owns: the Problems of policy files; the picture of the layers.
 * Never owns: what a rule means, reading and writing the files (permission-policy).
 * Ordering: `show` makes nothing; `confirm` makes the home where it is missing.
 */
import { makeProblem } from "@steno/application/problems"
import type { PolicyConfirmation, PolicyDocument, PolicyLayerView } from "@steno/contracts"
import {
  defaultTexts, guardrailTexts, type LoadedPolicy, type PolicyError, PolicyFiles, type PolicyFileState, policyLayers, type PolicyReason
} from "@steno/permission-policy"
import type { PortProblem } from "@steno/projection-port"
import { Effect, Layer } from "effect"
import { statSync } from "node:fs"
import { openHome } from "./home.ts"
import { WorkspacePolicy } from "./workspace-policy.ts"

export interface PolicyPaths {
  /** The home; absolute, need not exist. */
  readonly path: string
  /** The person's home directory, empty where there is none. */
  readonly userHome: string
}

const storageProblem = (path: string, code: string): PortProblem => {
  const details = { path, code }
  if (code === "ENOSPC" || code === "EDQUOT") {
    return makeProblem("storage-full", `There is no space left to write ${path}.`, "Free some space there, then repeat the command.", { details })
  }
  return ["EACCES", "EPERM", "EROFS"].includes(code)
    ? makeProblem("home-read-only", `This user may not write ${path}.`, "Make it writable, or use another home with --home or STENO_HOME.", { details })
    : makeProblem("storage-failed", `${path} could not be written: ${code}.`, "Look at its file system, then repeat the command.", { details })
}

const problemOf = (reason: PolicyReason): PortProblem => {
  switch (reason._tag) {
    case "PolicyInvalid":
      return makeProblem(
        "policy-invalid",
        `The policy file ${reason.path} is not valid at ${reason.position}: ${reason.explanation}.`,
        "Correct the file, or remove it. Until then no rule allows anything.",
        { details: { path: reason.path, position: reason.position } }
      )
    case "PolicyNotFound":
      return makeProblem(
        "policy-not-found",
        `There is no policy file ${reason.path}, so there is nothing to confirm.`,
        "Name the Workspace with --workspace, or write the file first.",
        { details: { path: reason.path } }
      )
    case "PolicyChanged":
      return makeProblem(
        "policy-changed",
        `The policy file ${reason.path} has the digest ${reason.found}, not ${reason.expected}.`,
        "Look at it again with `steno policy show`, then confirm the digest that is shown.",
        { details: { path: reason.path, digest: reason.found, expected: reason.expected } }
      )
    case "PolicyUnconfirmed":
      return makeProblem(
        "policy-changed",
        `The policy file ${reason.path} holds rules that were not confirmed.`,
        "Look at it with `steno policy show`, then confirm it with `steno policy confirm`.",
        { details: { path: reason.path } }
      )
    case "PolicyIsLink":
      return makeProblem("storage-failed", `${reason.path} is a link or no regular file, and is not replaced.`, "Put a regular file there.", {
        details: { path: reason.path }
      })
    case "PolicyStorageFailed":
      return storageProblem(reason.path, reason.code)
  }
}

const asProblem = ({ reason }: PolicyError): PortProblem => problemOf(reason)

const checkWorkspace = Effect.fnUntraced(function*(workspace: string) {
  const isFolder = yield* Effect.orElseSucceed(Effect.try(() => statSync(workspace).isDirectory()), () => false)
  if (isFolder) return
  return yield* makeProblem(
    "workspace-not-found",
    `The workspace ${workspace} is not an existing folder.`,
    "Name an existing folder with --workspace, or run the command inside one.",
    { details: { workspace } }
  )
})

const precedence = ["deny", "ask", "allow"]

const fileFacts = ({ digest, fault, path, rules }: PolicyFileState) => ({
  path,
  rules: rules.toSorted((one, other) => precedence.indexOf(one.effect) - precedence.indexOf(other.effect)),
  ...(digest === undefined ? {} : { digest }),
  ...(fault === undefined ? {} : { fault: { position: fault.position, explanation: fault.explanation } })
})

const userView = ({ user }: LoadedPolicy): PolicyLayerView => {
  const state = user.fault !== undefined ? "invalid" : user.digest === undefined ? "absent" : "in-force"
  return { layer: "user", state, ...fileFacts(user) }
}

/** A list of confirmations that cannot be read is shown here: it says whether these rules count. */
const workspaceView = ({ confirmed, fault, user, workspaceFile }: LoadedPolicy): PolicyLayerView => {
  const facts = fileFacts(workspaceFile)
  const foreign = fault !== undefined && fault.path !== user.path && fault.path !== workspaceFile.path ? fault : undefined
  if (foreign !== undefined) {
    return { layer: "workspace", state: "invalid", ...facts, fault: { position: `${foreign.path}: ${foreign.position}`, explanation: foreign.explanation } }
  }
  if (workspaceFile.digest === undefined && workspaceFile.fault === undefined) return { layer: "workspace", state: "absent", ...facts }
  if (!confirmed) return { layer: "workspace", state: "unconfirmed", ...facts }
  return { layer: "workspace", state: workspaceFile.fault === undefined ? "in-force" : "invalid", ...facts }
}

const builtIn = (layer: PolicyLayerView["layer"], texts: ReadonlyArray<string>): PolicyLayerView =>
  ({ layer, state: "built-in", rules: [], builtIn: texts })

const documentOf = (loaded: LoadedPolicy, userHome: string): PolicyDocument => {
  const { confirmed, fault, user, workspace, workspaceFile } = loaded
  const { digest } = policyLayers({
    user: user.rules,
    workspace: confirmed ? workspaceFile.rules : [],
    ...(fault === undefined ? {} : { fault })
  }, { workspace, userHome })
  return {
    family: "policy",
    workspacePath: workspace,
    valid: fault === undefined,
    policyDigest: digest,
    layers: [builtIn("guardrails", guardrailTexts), workspaceView(loaded), userView(loaded), builtIn("default", defaultTexts)]
  }
}

export const homePolicyLayer = ({ path, userHome }: PolicyPaths): Layer.Layer<WorkspacePolicy> =>
  Layer.effect(WorkspacePolicy, Effect.gen(function*() {
    const files = yield* PolicyFiles
    return WorkspacePolicy.of({
      show: Effect.fn("WorkspacePolicy.show")(function*(workspace) {
        yield* checkWorkspace(workspace)
        return documentOf(yield* files.load(workspace), userHome)
      }),
      confirm: Effect.fn("WorkspacePolicy.confirm")(function*(workspace, digest) {
        yield* checkWorkspace(workspace)
        yield* openHome(path, "write")
        const loaded = yield* files.load(workspace)
        const confirmed = yield* files.confirm(workspace, digest).pipe(Effect.mapError(asProblem))
        const document: PolicyConfirmation = { family: "policy-confirmation", workspacePath: loaded.workspace, ...confirmed }
        return document
      })
    })
  })).pipe(Layer.provide(PolicyFiles.layer({ stenoHome: path, userHome })))
