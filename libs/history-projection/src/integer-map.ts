/**
 * A persistent map from whole numbers to values that is walked from the largest key down.
 *
 * Owns: a radix tree of 32 branches; a changed map shares every branch that did not change.
 * Limits: keys are whole numbers from 0; reading, writing and finding a place cost the depth of the tree, at most 11.
 */
const branches = 32

interface Leaf<Value> {
  readonly kind: "leaf"
  readonly values: ReadonlyArray<Value | undefined>
}

interface Branch<Value> {
  readonly kind: "branch"
  readonly children: ReadonlyArray<Node<Value> | undefined>
  /** Keys below one child. */
  readonly span: number
}

type Node<Value> = Leaf<Value> | Branch<Value>

export interface IntegerMap<Value> {
  readonly root: Node<Value>
}

const emptyLeaf: Leaf<never> = { kind: "leaf", values: [] }

export const emptyIntegerMap: IntegerMap<never> = { root: emptyLeaf }

const capacityOf = <Value>(node: Node<Value>): number => node.kind === "leaf" ? branches : node.span * branches

export const getInteger = <Value>(map: IntegerMap<Value>, key: number): Value | undefined => {
  if (key >= capacityOf(map.root)) return undefined
  let node: Node<Value> | undefined = map.root
  let rest = key
  while (node?.kind === "branch") {
    const { children, span }: Branch<Value> = node
    node = children[Math.floor(rest / span)]
    rest %= span
  }
  return node?.values[rest]
}

const withSlot = <Content>(slots: ReadonlyArray<Content | undefined>, slot: number, content: Content) => {
  const changed = slots.slice()
  while (changed.length < slot) changed.push(undefined)
  changed[slot] = content
  return changed
}

const emptyNode = <Value>(span: number): Node<Value> =>
  span === branches ? emptyLeaf : { kind: "branch", children: [], span: span / branches }

const setIn = <Value>(node: Node<Value>, key: number, value: Value): Node<Value> => {
  if (node.kind === "leaf") return { kind: "leaf", values: withSlot(node.values, key, value) }
  const { children, span } = node
  const slot = Math.floor(key / span)
  const child = setIn(children[slot] ?? emptyNode<Value>(span), key % span, value)
  return { kind: "branch", children: withSlot(children, slot, child), span }
}

export const setInteger = <Value>(map: IntegerMap<Value>, key: number, value: Value): IntegerMap<Value> => {
  let { root } = map
  while (key >= capacityOf(root)) root = { kind: "branch", children: [root], span: capacityOf(root) }
  return { root: setIn(root, key, value) }
}

function* descend<Value>(node: Node<Value>, from: number): Generator<Value> {
  if (node.kind === "leaf") {
    for (let key = Math.min(from, node.values.length - 1); key >= 0; key--) {
      const value = node.values[key]
      if (value !== undefined) yield value
    }
    return
  }
  const { children, span } = node
  const top = Math.floor(from / span)
  for (let slot = Math.min(top, children.length - 1); slot >= 0; slot--) {
    const child = children[slot]
    if (child !== undefined) yield* descend(child, slot === top ? from % span : span - 1)
  }
}

/** Values by falling key, beginning with that of `from` or of the largest key below it. */
export const valuesDown = <Value>(map: IntegerMap<Value>, from: number = Infinity): Generator<Value> =>
  descend(map.root, Math.min(from, capacityOf(map.root) - 1))
