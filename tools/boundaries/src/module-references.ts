/**
 * Finds every place where a file names another module, in whatever form.
 *
 * Owns: the forms: import, re-export, type-only, `import()`, `import("x")` as a type, `import x = require`, `require`,
 * `createRequire`, `process.getBuiltinModule`.
 * Never owns: which modules are allowed (judge-reference).
 * Limits: a specifier that is computed is reported as unreadable; text handed to `eval` is not seen.
 */
import { AST_NODE_TYPES, type TSESLint, type TSESTree } from "@typescript-eslint/utils"
import { denotes } from "./denoted-value.ts"

export interface ModuleReference {
  readonly node: TSESTree.Node
  /** Absent: computed, nobody can read it here. */
  readonly specifier?: string
  /** Exported names this place takes from the module; `*` for all of them. */
  readonly names: ReadonlyArray<string>
  /** Passed on to whoever imports this file. */
  readonly exported: boolean
}

const literalText = (node: TSESTree.Node | undefined): string | undefined => {
  if (node?.type === AST_NODE_TYPES.Literal && typeof node.value === "string") return node.value
  if (node?.type === AST_NODE_TYPES.TemplateLiteral && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? undefined
  if (node?.type === AST_NODE_TYPES.TSLiteralType) return literalText(node.literal)
  return undefined
}

const nameOf = (name: TSESTree.Identifier | TSESTree.StringLiteral): string =>
  name.type === AST_NODE_TYPES.Identifier ? name.name : name.value

const importedName = (specifier: TSESTree.ImportClause): string =>
  specifier.type === AST_NODE_TYPES.ImportSpecifier
    ? nameOf(specifier.imported)
    : specifier.type === AST_NODE_TYPES.ImportDefaultSpecifier
      ? "default"
      : "*"

const reference = (
  node: TSESTree.Node,
  source: TSESTree.Node | undefined,
  names: ReadonlyArray<string>,
  exported = false
): ModuleReference => {
  const specifier = literalText(source)
  return specifier === undefined ? { node, names, exported } : { node, specifier, names, exported }
}

/** Calls `found` for each reference while ESLint walks the file. */
export const moduleReferences = (
  sourceCode: Readonly<TSESLint.SourceCode>,
  found: (reference: ModuleReference) => void
): TSESLint.RuleListener => ({
  ImportDeclaration: (node) => found(reference(node, node.source, node.specifiers.map(importedName))),
  ExportNamedDeclaration: (node) => {
    if (node.source === null) return
    found(reference(node, node.source, node.specifiers.map(({ local }) => nameOf(local)), true))
  },
  ExportAllDeclaration: (node) => found(reference(node, node.source, ["*"], true)),
  ImportExpression: (node) => found(reference(node, node.source, ["*"])),
  TSImportType: (node) => found(reference(node, node.source, ["*"])),
  TSExternalModuleReference: (node) => found(reference(node, node.expression, ["*"])),
  CallExpression: (node) => {
    if (denotes(sourceCode, node.callee) === "require") found(reference(node, node.arguments[0], ["*"]))
  }
})
