/**
 * Compares the schema that an installed Codex generates of itself with the parts of it that are used.
 *
 * Owns: which methods, fields and items are used, and which of them a Turn cannot do without.
 * Limits: what is experimental stands in no generated schema. The ending of terminals and the client's own ids of messages
 * are known by recordings alone.
 */
import { type CapabilityName, capabilityNames } from "@steno/harness-seam"
import { Schema } from "effect"

/** In the folder that `generate-json-schema` fills. */
export const schemaFile = "codex_app_server_protocol.schemas.json"

interface UsedPart {
  readonly of: "ClientRequest" | "ServerNotification" | "ServerRequest"
  readonly method: string
  readonly fields: ReadonlyArray<string>
  /** Off without this part; absent: no Turn without it. */
  readonly capability?: CapabilityName
}

const ofTurn = ["threadId", "turnId"]

export const usedParts: ReadonlyArray<UsedPart> = [
  { of: "ClientRequest", method: "initialize", fields: ["clientInfo", "capabilities"] },
  { of: "ClientRequest", method: "thread/start", fields: ["cwd"] },
  { of: "ClientRequest", method: "turn/start", fields: ["threadId", "input"] },
  { of: "ClientRequest", method: "thread/resume", fields: ["threadId"], capability: "recovery" },
  { of: "ClientRequest", method: "turn/interrupt", fields: ofTurn, capability: "interruption" },
  { of: "ClientRequest", method: "turn/steer", fields: ["threadId", "expectedTurnId", "input"], capability: "steer" },
  { of: "ServerNotification", method: "turn/completed", fields: ["threadId", "turn"] },
  { of: "ServerNotification", method: "item/started", fields: [...ofTurn, "item"] },
  { of: "ServerNotification", method: "item/completed", fields: [...ofTurn, "item"] },
  { of: "ServerNotification", method: "item/agentMessage/delta", fields: [...ofTurn, "itemId", "delta"] },
  {
    of: "ServerNotification",
    method: "item/commandExecution/outputDelta",
    fields: [...ofTurn, "itemId", "delta"],
    capability: "live-output"
  },
  {
    of: "ServerNotification",
    method: "item/reasoning/summaryTextDelta",
    fields: [...ofTurn, "itemId", "delta", "summaryIndex"],
    capability: "thought-summaries"
  },
  { of: "ServerNotification", method: "turn/diff/updated", fields: [...ofTurn, "diff"], capability: "turn-diff" },
  {
    of: "ServerRequest",
    method: "item/commandExecution/requestApproval",
    fields: [...ofTurn, "itemId", "command"],
    capability: "approvals"
  },
  { of: "ServerRequest", method: "item/fileChange/requestApproval", fields: [...ofTurn, "itemId"], capability: "approvals" },
  {
    of: "ServerRequest",
    method: "item/tool/requestUserInput",
    fields: [...ofTurn, "itemId", "questions"],
    capability: "clarifications"
  }
]

export const usedItems: Readonly<Record<string, ReadonlyArray<string>>> = {
  agentMessage: ["id", "text"],
  commandExecution: ["id", "command", "status", "aggregatedOutput", "exitCode"],
  fileChange: ["id", "changes", "status"]
}

export const SchemaComparison = Schema.Struct({
  /** What no Turn can do without, in words. */
  missing: Schema.Array(Schema.String),
  /** What this program cannot do, each once. */
  off: Schema.Array(Schema.Literals(capabilityNames))
})
export type SchemaComparison = typeof SchemaComparison.Type

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined), value)

const listAt = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const list = at(value, name)
  return Array.isArray(list) ? list : []
}

/** A definition, or where it names another one, that one. */
const resolved = (schema: unknown, definition: unknown): unknown => {
  const reference = at(definition, "$ref")
  return typeof reference === "string" && reference.startsWith("#/") ? at(schema, ...reference.slice(2).split("/")) : definition
}

const definitionOf = (schema: unknown, name: string): unknown =>
  at(schema, "definitions", "v2", name) ?? at(schema, "definitions", name)

const variant = (schema: unknown, union: string, field: string, word: string): unknown =>
  listAt(definitionOf(schema, union), "oneOf")
    .map((one) => resolved(schema, one))
    .find((one) => listAt(at(one, "properties", field), "enum").includes(word))

const lacks = (schema: unknown, definition: unknown, fields: ReadonlyArray<string>): ReadonlyArray<string> => {
  const properties = at(resolved(schema, definition), "properties")
  return fields.filter((name) => at(properties, name) === undefined)
}

const fault = (schema: unknown, { fields, method, of }: UsedPart): string | undefined => {
  const found = variant(schema, of, "method", method)
  if (found === undefined) return method
  const lacking = lacks(schema, at(found, "properties", "params"), fields)
  return lacking.length === 0 ? undefined : `${method} without ${lacking.join(", ")}`
}

export const compareSchema = (schema: unknown): SchemaComparison => {
  const missing: Array<string> = []
  const off = new Set<CapabilityName>()
  for (const part of usedParts) {
    const words = fault(schema, part)
    if (words === undefined) continue
    if (part.capability === undefined) missing.push(words)
    else off.add(part.capability)
  }
  for (const [type, fields] of Object.entries(usedItems)) {
    const found = variant(schema, "ThreadItem", "type", type)
    const lacking = found === undefined ? fields : lacks(schema, found, fields)
    if (lacking.length > 0) missing.push(`item ${type} without ${lacking.join(", ")}`)
  }
  return { missing, off: [...off] }
}
