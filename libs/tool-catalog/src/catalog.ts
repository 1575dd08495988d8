/**
 * The catalog: every tool the hosted loop offers, in one table.
 *
 * Owns: names, descriptions, argument schemas, risks, replay safety.
 * Never owns: who may call what (permission-policy), how a result is shortened (result-projection).
 */
import { toolPolicies } from "@steno/result-projection"
import { Schema } from "effect"
import {
  AgentControlFields,
  AskUserFields,
  BashFields,
  EditFields,
  FindFields,
  GrepFields,
  LsFields,
  ReadFields,
  WriteFields
} from "./tool-arguments.ts"
import type { OfferedTool, ToolEntry } from "./tool-entry.ts"

const reading = { risk: "read", replaySafe: true, suspends: false } as const
const writing = { risk: "write", replaySafe: false, suspends: false } as const

export const toolCatalog: { readonly [Name in OfferedTool]: ToolEntry<Name> } = {
  read: {
    name: "read",
    description: "Reads a text file, with line numbers counted from 1, or shows an image (png, jpeg, gif, webp). "
      + "Returns 200 lines unless told otherwise and says where to go on. Use ls for folders and grep to find a place first.",
    arguments: ReadFields,
    policy: toolPolicies.read,
    ...reading
  },
  grep: {
    name: "grep",
    description: "Searches the contents of files line by line and returns path:line: text. Leaves out what .gitignore names, "
      + "binary files and .git; a file given as path is always searched. Does not follow links. Use find to look for names.",
    arguments: GrepFields,
    policy: toolPolicies.grep,
    ...reading
  },
  find: {
    name: "find",
    description: "Finds files by a glob on their path, in path order. Leaves out what .gitignore names and .git. "
      + "Lists no folders and does not follow links. Use grep to look into files.",
    arguments: FindFields,
    policy: toolPolicies.find,
    ...reading
  },
  ls: {
    name: "ls",
    description: "Lists one folder, folders first, then by name, with kinds and sizes; hidden and ignored entries too.",
    arguments: LsFields,
    policy: toolPolicies.ls,
    ...reading
  },
  write: {
    name: "write",
    description: "Creates a file or replaces all of its content, at once or not at all. Refused when the file changed after you "
      + "last read or wrote it: read it again first. To change a part of a file use edit.",
    arguments: WriteFields,
    policy: toolPolicies.write,
    ...writing
  },
  edit: {
    name: "edit",
    description: "Replaces texts in a UTF-8 file. Each oldText must stand in the file exactly once; give enough lines around it. "
      + "Line breaks fit LF and CRLF files alike and the file keeps its own. All edits are written, or none.",
    arguments: EditFields,
    policy: toolPolicies.edit,
    ...writing
  },
  bash: {
    name: "bash",
    description: "Runs a shell command in the Workspace with an empty standard input and no terminal. Returns exit code and output; "
      + "of long output the telling lines and the path of the complete file. Each call is a new shell. "
      + "Prefer read, grep, find, ls, write and edit for files.",
    arguments: BashFields,
    policy: toolPolicies.bash,
    risk: "execute",
    replaySafe: false,
    suspends: false
  },
  ask_user: {
    name: "ask_user",
    description: "Asks the person and waits for the answer, however long that takes. For decisions only they can take; "
      + "put everything they need to know into the question.",
    arguments: AskUserFields,
    policy: toolPolicies.ask_user,
    risk: "none",
    replaySafe: false,
    suspends: true
  },
  run_done: {
    name: "run_done",
    description: "Says that the objective of the Run is reached. Call it once, last, after checking the work.",
    arguments: AgentControlFields,
    policy: toolPolicies.run_done,
    risk: "none",
    replaySafe: false,
    suspends: false
  },
  run_failed: {
    name: "run_failed",
    description: "Says that the objective of the Run cannot be reached, and why. Call it instead of run_done.",
    arguments: AgentControlFields,
    policy: toolPolicies.run_failed,
    risk: "none",
    replaySafe: false,
    suspends: false
  }
}

export const isOfferedTool = (name: string): name is OfferedTool => Object.hasOwn(toolCatalog, name)

/** What a provider is told of a tool. */
export interface ToolDefinition {
  readonly name: OfferedTool
  readonly description: string
  /** JSON Schema, draft 2020-12, of one object. */
  readonly inputSchema: { readonly [key: string]: unknown }
}

const definitionOf = ({ arguments: fields, description, name }: ToolEntry): ToolDefinition => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(fields, { onExcessProperty: "error" })
  return {
    name,
    description,
    inputSchema: { ...schema, ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}) }
  }
}

let definitions: ReadonlyArray<ToolDefinition> | undefined

/** In the order of the catalog. Made at the first call: their schemas take longer than all else of the catalog, and few starts ask a model. */
export const toolDefinitions = (): ReadonlyArray<ToolDefinition> => definitions ??= Object.values(toolCatalog).map(definitionOf)
