/**
 * Permission rules, the files that hold them, and the frozen documents of `policy show` and `policy confirm`.
 *
 * Owns: the closed set of keys and values. An unknown key makes a file invalid.
 * Never owns: what a rule means for a call (permission-policy).
 */
import { Schema } from "effect"
import { Digest } from "../asset/asset.schema.ts"

/** What a tool may do at most: nothing, read, write files, run commands, control other Sessions. */
export const ToolRisk = Schema.Literals(["none", "read", "write", "execute", "control"])
export type ToolRisk = typeof ToolRisk.Type

export const PolicyEffect = Schema.Literals(["allow", "ask", "deny"])
export type PolicyEffect = typeof PolicyEffect.Type

const condition = Schema.NonEmptyString

/** Every condition that is present must hold; a rule without conditions holds for every call. */
export const PolicyRule = Schema.Struct({
  effect: PolicyEffect,
  /** Catalog name. */
  tool: Schema.optionalKey(condition),
  risk: Schema.optionalKey(ToolRisk),
  /** Glob on the resolved path; a relative one begins at the Workspace, `~/` at the person's home directory. */
  path: Schema.optionalKey(condition),
  /** Words of one simple command as a shell reads them; a last `*` stands for any further words, also none. */
  command: Schema.optionalKey(condition),
  /** Host name, or `*.example.com` for that name and every one below it. */
  host: Schema.optionalKey(condition),
  /** Why, for whoever reads the decision. */
  reason: Schema.optionalKey(Schema.String)
})
export type PolicyRule = typeof PolicyRule.Type

/** `config/policy.json` of a home and `.steno/policy.json` of a Workspace. */
export const PolicyFile = Schema.Struct({ rules: Schema.Array(PolicyRule) })
export type PolicyFile = typeof PolicyFile.Type

/** `config/trust.json` of a home: real path of a Workspace to the digest of its policy file that a person confirmed. */
export const PolicyTrust = Schema.Struct({ workspaces: Schema.Record(Schema.String, Digest) })
export type PolicyTrust = typeof PolicyTrust.Type

export const PolicyLayerName = Schema.Literals(["guardrails", "session", "workspace", "user", "default"])
export type PolicyLayerName = typeof PolicyLayerName.Type

/** `absent` and `unconfirmed` files say nothing; an `invalid` one keeps every rule of every layer from allowing. */
export const PolicyLayerState = Schema.Literals(["built-in", "in-force", "absent", "unconfirmed", "invalid"])

export const PolicyLayerView = Schema.Struct({
  layer: PolicyLayerName,
  state: PolicyLayerState,
  /** Absolute; absent for a built-in layer. */
  path: Schema.optionalKey(Schema.String),
  /** Of the file's bytes; present when there is a file that can be read. */
  digest: Schema.optionalKey(Digest),
  /** What makes the file invalid, and where. */
  fault: Schema.optionalKey(Schema.Struct({ position: Schema.String, explanation: Schema.String })),
  /** In order of precedence: deny, ask, allow; also while they are unconfirmed. */
  rules: Schema.Array(PolicyRule),
  /** What a built-in layer does, for a person. */
  builtIn: Schema.optionalKey(Schema.Array(Schema.String))
})
export type PolicyLayerView = typeof PolicyLayerView.Type

/** `policy show --json`. */
export const PolicyDocument = Schema.Struct({
  family: Schema.Literal("policy"),
  /** Real path. */
  workspacePath: Schema.String,
  /** False while a file in force is invalid: no rule allows then. */
  valid: Schema.Boolean,
  /** Of everything that decides, without the rules of a Session. */
  policyDigest: Digest,
  /** A nearer layer comes first; a deny of any of them wins. */
  layers: Schema.Array(PolicyLayerView)
})
export type PolicyDocument = typeof PolicyDocument.Type

/** `policy confirm --json`. */
export const PolicyConfirmation = Schema.Struct({
  family: Schema.Literal("policy-confirmation"),
  /** Real path. */
  workspacePath: Schema.String,
  /** The confirmed file, absolute. */
  path: Schema.String,
  digest: Digest,
  /** False when this digest was confirmed before. */
  changed: Schema.Boolean
})
export type PolicyConfirmation = typeof PolicyConfirmation.Type
