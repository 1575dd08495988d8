/**
 * ESLint rule: a file is named for what it holds.
 *
 * Owns: the names that say nothing.
 */
import { basename } from "node:path"
import type { TSESLint } from "@typescript-eslint/utils"

const empty = /^(.*[-.])?(utils?|common|helpers?|types|misc|v2)(\.test)?\.[cm]?[jt]sx?$/i

export const namedForContentRule: TSESLint.RuleModule<"empty"> = {
  meta: {
    type: "suggestion",
    docs: { description: "A file is named for what it holds." },
    messages: { empty: "\"{{name}}\" does not say what the file holds" },
    schema: []
  },
  defaultOptions: [],
  create: (context) => ({
    Program: (node) => {
      const name = basename(context.filename)
      if (empty.test(name)) context.report({ node, messageId: "empty", data: { name } })
    }
  })
}
