/**
 * ESLint rule: `process.argv`, `process.exit`, `process.kill` and `Effect.run*` stay with the projects that own them.
 *
 * Owns: recognising a power in every form: member, destructured, alias, imported, passed on.
 * Never owns: who has which power (boundary-table).
 * Limits: those of denoted-value.
 */
import { relative, sep } from "node:path"
import { AST_NODE_TYPES, type TSESLint, type TSESTree } from "@typescript-eslint/utils"
import { grantFor, type Power } from "./boundary-row.ts"
import { type Denoted, denotes, guardedModules } from "./denoted-value.ts"
import { type BoundaryRules, grantedIn, judgedFile } from "./judge-reference.ts"
import { moduleReferences } from "./module-references.ts"

const exits = new Set(["process.exit", "process.reallyExit", "process.abort"])

/** The power that using a value takes, or undefined. */
const powerOf = (value: Denoted | undefined): Power | undefined => {
  if (value === undefined) return undefined
  if (value === "process.argv" || value === "process.kill") return value
  if (exits.has(value)) return "process.exit"
  return /^Effect\.run[A-Z]/.test(value) || value === "ManagedRuntime.make" || value === "NodeRuntime.runMain"
    ? "Effect.run*"
    : undefined
}

/** A power of each guarded value, for `export *`. */
const anyPower: Readonly<Record<Denoted, string>> = {
  process: "exit",
  Effect: "runSync",
  ManagedRuntime: "make",
  NodeRuntime: "runMain"
}

export const ownedPowerRule = (rules: BoundaryRules, workspaceRoot: string): TSESLint.RuleModule<"refused"> => ({
  meta: {
    type: "problem",
    docs: { description: "process.argv, process.exit, process.kill and Effect.run* stay with their owners." },
    messages: { refused: "{{power}} is not in the row of {{project}} (tools/boundaries/src/boundary-table.ts)" },
    schema: []
  },
  defaultOptions: [],
  create: (context) => {
    const { sourceCode } = context
    const file = judgedFile(rules, relative(workspaceRoot, context.filename).split(sep).join("/"))
    if (file === undefined || file.unbanned) return {}

    const judge = (node: TSESTree.Node, value: Denoted | undefined) => {
      const power = powerOf(value)
      if (power === undefined || grantedIn(grantFor(file.row.powers, power), file)) return
      context.report({ node, messageId: "refused", data: { power, project: file.row.name } })
    }

    return {
      ...moduleReferences(sourceCode, ({ node, specifier, names, exported }) => {
        const value = guardedModules[specifier ?? ""]
        if (value === undefined) return
        for (const name of names) judge(node, `${value}.${exported && name === "*" ? anyPower[value] : name}`)
      }),
      MemberExpression: (node) => judge(node, denotes(sourceCode, node)),
      VariableDeclarator: (node) => {
        if (node.id.type !== AST_NODE_TYPES.ObjectPattern) return
        for (const { identifiers: [bound] } of sourceCode.getDeclaredVariables?.(node) ?? []) {
          if (bound !== undefined) judge(bound, denotes(sourceCode, bound))
        }
      }
    }
  }
})
