/** The list of models, in a form that clients of each protocol read; counted tokens. */
import { answeredAt } from "./protocol.ts"

const model = (id: string) => ({
  id,
  object: "model",
  created: answeredAt,
  owned_by: "script",
  type: "model",
  display_name: id,
  created_at: new Date(answeredAt * 1000).toISOString()
})

export const modelDocument = (id: string): unknown => model(id)

export const modelList = (ids: ReadonlyArray<string>): unknown => ({
  object: "list",
  data: ids.map(model),
  has_more: false,
  first_id: ids[0] ?? null,
  last_id: ids.at(-1) ?? null
})

/** A quarter of the request's characters: the same for the same request, and near enough. */
export const countedTokens = (body: string): number => Math.ceil(body.length / 4)
