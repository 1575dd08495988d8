/**
 * Says which guarded value an expression stands for, through aliases, namespaces and destructuring.
 *
 * Owns: following a name to `process`, `Effect`, `require` and what they are reached through.
 * Never owns: what may be done with them (owned-powers rule, module-references).
 * Limits: constants and imports are followed, values that pass through functions or objects are not.
 */
import { AST_NODE_TYPES, type TSESLint, type TSESTree } from "@typescript-eslint/utils"

/** A guarded value, or a way to one: `process`, `Effect`, `process.exit`, `Effect.runSync`, `require`, … */
export type Denoted = string

/** Modules that are a guarded value as a whole; the others pass one on by its name. */
export const guardedModules: Readonly<Record<string, Denoted>> = {
  "node:process": "process",
  "process": "process",
  "effect/Effect": "Effect",
  "effect/ManagedRuntime": "ManagedRuntime",
  "@effect/platform-node/NodeRuntime": "NodeRuntime",
  "node:module": "node:module",
  "module": "node:module",
  "effect": "effect"
}

const guarded: ReadonlyArray<Denoted> = ["Effect", "ManagedRuntime", "NodeRuntime"]

/** What a module's export stands for; an export named like a guarded value counts as it, whoever passes it on. */
const denotedExport = (module: string, name: string): Denoted | undefined => {
  const whole = guardedModules[module]
  if (name === "*") return whole
  const member = whole === undefined ? undefined : denotedMember(whole, name)
  return member ?? (guarded.includes(name) ? name : undefined)
}

const denotedMember = (object: Denoted, name: string): Denoted | undefined => {
  if (object === "globalThis") return denotedGlobal(name)
  if (name === "default") return object
  if (object === "effect") return guarded.includes(name) ? name : undefined
  if (object === "node:module") return name === "createRequire" ? "node:module.createRequire" : undefined
  if (object === "process" && name === "getBuiltinModule") return "require"
  return object === "process" || guarded.includes(object) ? `${object}.${name}` : undefined
}

const denotedGlobal = (name: string): Denoted | undefined =>
  name === "globalThis" || name === "global" ? "globalThis" : name === "process" || name === "require" ? name : undefined

const propertyName = (node: TSESTree.MemberExpression | TSESTree.Property): string | undefined => {
  const key = node.type === AST_NODE_TYPES.MemberExpression ? node.property : node.key
  if (!node.computed && key.type === AST_NODE_TYPES.Identifier) return key.name
  return key.type === AST_NODE_TYPES.Literal ? String(key.value) : undefined
}

/** The path of property names from a pattern's value to the identifier bound in it. */
const pathTo = (pattern: TSESTree.Node, bound: TSESTree.Node): ReadonlyArray<string> | undefined => {
  if (pattern === bound) return []
  if (pattern.type === AST_NODE_TYPES.AssignmentPattern) return pathTo(pattern.left, bound)
  if (pattern.type !== AST_NODE_TYPES.ObjectPattern) return undefined
  for (const property of pattern.properties) {
    if (property.type !== AST_NODE_TYPES.Property) continue
    const rest = pathTo(property.value, bound)
    const name = propertyName(property)
    if (rest !== undefined && name !== undefined) return [name, ...rest]
  }
  return undefined
}

const variableOf = (sourceCode: Readonly<TSESLint.SourceCode>, node: TSESTree.Identifier) => {
  let scope: TSESLint.Scope.Scope | null = sourceCode.getScope(node)
  while (scope !== null) {
    const variable = scope.set.get(node.name)
    if (variable !== undefined) return variable
    scope = scope.upper
  }
  return undefined
}

const denotedIdentifier = (
  sourceCode: Readonly<TSESLint.SourceCode>,
  node: TSESTree.Identifier,
  seen: ReadonlyArray<TSESTree.Node>
): Denoted | undefined => {
  const definition = variableOf(sourceCode, node)?.defs[0]
  if (definition === undefined) return denotedGlobal(node.name)
  if (definition.type === "ImportBinding") {
    const declaration = definition.parent
    if (declaration?.type !== AST_NODE_TYPES.ImportDeclaration) return undefined
    const { node: specifier } = definition
    const name = specifier.type === AST_NODE_TYPES.ImportSpecifier
      ? specifier.imported.type === AST_NODE_TYPES.Identifier ? specifier.imported.name : specifier.imported.value
      : specifier.type === AST_NODE_TYPES.ImportDefaultSpecifier ? "default" : "*"
    return denotedExport(declaration.source.value, name)
  }
  if (definition.type !== "Variable" || definition.node.init === null || seen.includes(definition.node)) return undefined
  const path = pathTo(definition.node.id, definition.name)
  const whole = denotes(sourceCode, definition.node.init, [...seen, definition.node])
  return path?.reduce<Denoted | undefined>((value, name) => value && denotedMember(value, name), whole)
}

/** The guarded value `node` stands for, or undefined. */
export const denotes = (
  sourceCode: Readonly<TSESLint.SourceCode>,
  node: TSESTree.Node,
  seen: ReadonlyArray<TSESTree.Node> = []
): Denoted | undefined => {
  switch (node.type) {
    case AST_NODE_TYPES.Identifier:
      return denotedIdentifier(sourceCode, node, seen)
    case AST_NODE_TYPES.MemberExpression: {
      const object = denotes(sourceCode, node.object, seen)
      const name = propertyName(node)
      return object !== undefined && name !== undefined ? denotedMember(object, name) : undefined
    }
    case AST_NODE_TYPES.ChainExpression:
    case AST_NODE_TYPES.TSAsExpression:
    case AST_NODE_TYPES.TSNonNullExpression:
    case AST_NODE_TYPES.TSSatisfiesExpression:
      return denotes(sourceCode, node.expression, seen)
    case AST_NODE_TYPES.AwaitExpression:
      return denotes(sourceCode, node.argument, seen)
    case AST_NODE_TYPES.ImportExpression:
      return node.source.type === AST_NODE_TYPES.Literal ? denotedExport(String(node.source.value), "*") : undefined
    case AST_NODE_TYPES.CallExpression: {
      const callee = denotes(sourceCode, node.callee, seen)
      if (callee === "node:module.createRequire") return "require"
      const [argument] = node.arguments
      return callee === "require" && argument?.type === AST_NODE_TYPES.Literal
        ? denotedExport(String(argument.value), "*")
        : undefined
    }
    default:
      return undefined
  }
}
