/**
 * The policy files of a home and of its Workspaces.
 *
 * Owns: reading, validating and replacing `config/policy.json`, `config/trust.json` and a Workspace's `.steno/policy.json`.
 * Never owns: what a rule means (policy-rules).
 * Ordering: a file is read again before it is replaced; a Workspace's file is confirmed after it was written, never before.
 * Limits: writers of one process take turns; of two processes that write at once the later one wins whole.
 */
import { type PolicyFile, type PolicyRule, type PolicyTrust } from "@steno/contracts"
import { Context, Effect, Layer, Result, Semaphore } from "effect"
import { realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { readPolicyText, readTrustText, writtenText } from "./policy-document.ts"
import {
  PolicyChanged, PolicyError, PolicyInvalid, PolicyIsLink, PolicyNotFound, type PolicyReason, PolicyStorageFailed, PolicyUnconfirmed
} from "./policy-errors.ts"
import { digestOf, type PolicyFault } from "./policy-layers.ts"
import { isOwnFile, isOwnFolder, readWhole, replaceWhole, systemCode } from "./replaced-file.ts"

export interface PolicyFileState {
  /** Absolute. */
  readonly path: string
  /** Present when there is a file that can be read. */
  readonly digest: string | undefined
  /** Empty when there is no file, or an invalid one. */
  readonly rules: ReadonlyArray<PolicyRule>
  readonly fault: PolicyFault | undefined
}

export interface LoadedPolicy {
  /** Real path. */
  readonly workspace: string
  readonly user: PolicyFileState
  readonly workspaceFile: PolicyFileState
  /** Whether exactly this Workspace file was confirmed. */
  readonly confirmed: boolean
  /** The first fault of what is in force: the user's file, the confirmations, a confirmed Workspace file. */
  readonly fault: PolicyFault | undefined
}

export interface WrittenPolicy {
  readonly path: string
  readonly digest: string
  /** False when nothing had to be written. */
  readonly changed: boolean
}

export interface PolicyHome {
  /** Absolute; need not exist. */
  readonly stenoHome: string
  /** The person's home directory, where `~` in a rule begins. */
  readonly userHome: string
}

export class PolicyFiles extends Context.Service<PolicyFiles, {
  /** Reads all three files anew. Never fails: what is wrong with a file is part of the answer. */
  readonly load: (workspace: string) => Effect.Effect<LoadedPolicy>
  /** Confirms the Workspace's file as it is, or refuses with `PolicyChanged` when its digest is not the given one. Idempotent. */
  readonly confirm: (workspace: string, digest?: string) => Effect.Effect<WrittenPolicy, PolicyError>
  /**
   * Adds rules, all or none, to the person's file or to the Workspace's, which is confirmed with them. A rule that is there already
   * is not added. Refuses a file that is invalid or, for a Workspace, not confirmed.
   */
  readonly addRules: (
    scope: "user" | "workspace",
    workspace: string,
    rules: ReadonlyArray<PolicyRule>
  ) => Effect.Effect<WrittenPolicy, PolicyError>
}>()("@steno/permission-policy/PolicyFiles") {
  static readonly layer = (home: PolicyHome): Layer.Layer<PolicyFiles> => Layer.effect(PolicyFiles, makePolicyFiles(home))
}

const realFolder = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const failed = (reason: PolicyReason) => new PolicyError({ reason })

type FileText<A> = { readonly digest: string | undefined; readonly content: Result.Result<A, PolicyFault> }

const readFile = <A>(path: string, absent: A, read: (bytes: Uint8Array) => Result.Result<A, Omit<PolicyFault, "path">>): FileText<A> => {
  let bytes: Uint8Array | undefined
  try {
    bytes = readWhole(path)
  } catch (error) {
    return { digest: undefined, content: Result.fail({ path, position: "file", explanation: `it cannot be read: ${systemCode(error)}` }) }
  }
  if (bytes === undefined) return { digest: undefined, content: Result.succeed(absent) }
  return { digest: digestOf(bytes), content: Result.mapError(read(bytes), (fault) => ({ path, ...fault })) }
}

const noRules: PolicyFile = { rules: [] }
const noTrust: PolicyTrust = { workspaces: {} }

const stateOf = (path: string, { content, digest }: FileText<PolicyFile>): PolicyFileState => ({
  path,
  digest,
  rules: Result.isSuccess(content) ? content.success.rules : [],
  fault: Result.isFailure(content) ? content.failure : undefined
})

const sameRule = (one: PolicyRule, other: PolicyRule): boolean => {
  const sorted = (rule: PolicyRule) => JSON.stringify(Object.entries(rule).toSorted(([first], [second]) => (first < second ? -1 : 1)))
  return sorted(one) === sorted(other)
}

const makePolicyFiles = Effect.fnUntraced(function*({ stenoHome, userHome }: PolicyHome) {
  const turns = yield* Semaphore.make(1)
  const userPath = join(stenoHome, "config", "policy.json")
  const trustPath = join(stenoHome, "config", "trust.json")
  const workspacePath = (workspace: string) => join(workspace, ".steno", "policy.json")
  const readRules = (path: string, workspace: string) => readFile(path, noRules, (bytes) => readPolicyText(bytes, { workspace, userHome }))
  const readTrust = () => readFile(trustPath, noTrust, readTrustText)

  const loadNow = (given: string): LoadedPolicy => {
    const workspace = realFolder(given)
    const user = stateOf(userPath, readRules(userPath, workspace))
    const workspaceFile = stateOf(workspacePath(workspace), readRules(workspacePath(workspace), workspace))
    const trust = readTrust().content
    const digest = Result.isSuccess(trust) && Object.hasOwn(trust.success.workspaces, workspace) ? trust.success.workspaces[workspace] : undefined
    const confirmed = workspaceFile.digest !== undefined && workspaceFile.digest === digest
    const trustFault = Result.isFailure(trust) ? trust.failure : undefined
    return { workspace, user, workspaceFile, confirmed, fault: user.fault ?? trustFault ?? (confirmed ? workspaceFile.fault : undefined) }
  }

  const write = (path: string, text: string) =>
    Effect.try({ try: () => replaceWhole(path, text), catch: (fault) => failed(new PolicyStorageFailed({ path, code: systemCode(fault) })) })

  const trusted = Effect.fnUntraced(function*(workspace: string, digest: string) {
    const { content } = readTrust()
    if (Result.isFailure(content)) return yield* failed(new PolicyInvalid(content.failure))
    const { workspaces } = content.success
    if (Object.hasOwn(workspaces, workspace) && workspaces[workspace] === digest) return false
    yield* write(trustPath, writtenText({ workspaces: { ...workspaces, [workspace]: digest } }))
    return true
  })

  const confirm = Effect.fn("PolicyFiles.confirm")(function*(given: string, expected?: string) {
    const { workspace, workspaceFile: { digest, fault, path } } = loadNow(given)
    if (fault !== undefined) return yield* failed(new PolicyInvalid(fault))
    if (digest === undefined) return yield* failed(new PolicyNotFound({ path }))
    if (expected !== undefined && expected !== digest) return yield* failed(new PolicyChanged({ path, expected, found: digest }))
    return { path, digest, changed: yield* trusted(workspace, digest) }
  })

  const addRules = Effect.fn("PolicyFiles.addRules")(function*(
    scope: "user" | "workspace",
    given: string,
    wanted: ReadonlyArray<PolicyRule>
  ) {
    const { confirmed, user, workspace, workspaceFile } = loadNow(given)
    const { digest, fault, path, rules } = scope === "user" ? user : workspaceFile
    if (fault !== undefined) return yield* failed(new PolicyInvalid(fault))
    const isWorkspace = scope === "workspace"
    if (isWorkspace && !(isOwnFolder(dirname(path)) && isOwnFile(path))) return yield* failed(new PolicyIsLink({ path }))
    if (isWorkspace && digest !== undefined && !confirmed) return yield* failed(new PolicyUnconfirmed({ path }))
    const added = wanted.filter((rule) => !rules.some((one) => sameRule(one, rule)))
    if (digest !== undefined && added.length === 0) return { path, digest, changed: false }
    const text = writtenText({ rules: [...rules, ...added] })
    const checked = readPolicyText(Buffer.from(text), { workspace, userHome })
    if (Result.isFailure(checked)) return yield* failed(new PolicyInvalid({ path, ...checked.failure }))
    yield* write(isWorkspace ? path : realFolder(path), text)
    if (isWorkspace) yield* trusted(workspace, digestOf(text))
    return { path, digest: digestOf(text), changed: true }
  })

  return PolicyFiles.of({
    load: (workspace) => Effect.sync(() => loadNow(workspace)),
    confirm: (workspace, digest) => turns.withPermit(confirm(workspace, digest)),
    addRules: (scope, workspace, rules) => turns.withPermit(addRules(scope, workspace, rules))
  })
})
