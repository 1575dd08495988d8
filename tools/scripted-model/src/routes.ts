/**
 * Which endpoint a path means.
 *
 * Owns: the paths, with and without `/v1`, and the client's name in front of them.
 */

export type Endpoint = "messages" | "responses" | "chat" | "models" | "count-tokens" | "input-tokens" | "root"

export interface Route {
  /** From `/clients/<name>/…`: keeps the conversations of several clients apart. */
  readonly client: string
  readonly endpoint: Endpoint | undefined
  /** Of `/models/<model>`. */
  readonly model?: string
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  "POST /messages": "messages",
  "POST /messages/count_tokens": "count-tokens",
  "POST /responses": "responses",
  "POST /responses/input_tokens": "input-tokens",
  "POST /chat/completions": "chat",
  "GET /models": "models",
  "GET /": "root",
  "HEAD /": "root"
}

export const routeOf = (method: string, url: string): Route => {
  const { pathname } = new URL(url, "http://loopback")
  const named = /^\/clients\/([^/]+)(\/.*)?$/.exec(pathname)
  const client = decodeURIComponent(named?.[1] ?? "")
  const path = (named === null ? pathname : named[2] ?? "/").replace(/^\/v1(?=\/)/, "")
  const model = method === "GET" ? /^\/models\/(.+)$/.exec(path)?.[1] : undefined
  if (model !== undefined) return { client, endpoint: "models", model: decodeURIComponent(model) }
  return { client, endpoint: endpoints[`${method} ${path}`] }
}
