/**
 * ESLint rule: a file names only the modules that the boundary table gives its project.
 *
 * Owns: joining the references of a file with the judgement of the table.
 * Never owns: either of them.
 */
import { relative, sep } from "node:path"
import type { TSESLint } from "@typescript-eslint/utils"
import { type BoundaryRules, judgedFile, judgeReference } from "./judge-reference.ts"
import { moduleReferences } from "./module-references.ts"

export const moduleBoundaryRule = (rules: BoundaryRules, workspaceRoot: string): TSESLint.RuleModule<"refused"> => ({
  meta: {
    type: "problem",
    docs: { description: "A file names only the modules that the boundary table gives its project." },
    messages: { refused: "{{reason}} (tools/boundaries/src/boundary-table.ts)" },
    schema: []
  },
  defaultOptions: [],
  create: (context) => {
    const file = judgedFile(rules, relative(workspaceRoot, context.filename).split(sep).join("/"))
    if (file === undefined) return {}
    return moduleReferences(context.sourceCode, ({ node, specifier, names }) => {
      const reason = judgeReference(rules, file, specifier, names)
      if (reason !== undefined) context.report({ node, messageId: "refused", data: { reason } })
    })
  }
})
