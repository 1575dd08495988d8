/**
 * A model server on loopback that plays one script for every conversation that comes.
 *
 * Owns: the socket, which conversation a request belongs to and where each stands.
 * Never owns: which step answers (model-script), what it looks like (the protocols), how it is sent (delivery).
 * Limits: loopback only; requests of one conversation are answered in the order in which they arrive.
 */
import type { ModelScript } from "@steno/contracts"
import { conversationKey, placeOf, playStep, type RequestFacts, type ScriptPlace } from "@steno/model-script"
import { Result } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { anthropicMessages } from "./anthropic-messages.ts"
import { answerDelivery, type Delivery, deliver, type Ended, jsonDelivery } from "./delivery.ts"
import { countedTokens, modelDocument, modelList } from "./models.ts"
import { openaiChat } from "./openai-chat.ts"
import { openaiResponses } from "./openai-responses.ts"
import type { Protocol } from "./protocol.ts"
import { loggedHeaders, openRequestLog, type ReceivedRequest } from "./request-log.ts"
import { type Route, routeOf } from "./routes.ts"

export interface ScriptedModelOptions {
  readonly script: ModelScript
  /** One JSON line per model request is appended; default: none. */
  readonly logFile?: string
  /** Default: a free one. */
  readonly port?: number
  /** Ids that `/v1/models` lists; any model's name is answered. Default `scripted-model`. */
  readonly models?: ReadonlyArray<string>
}

export interface ScriptedModel {
  /** Without `/v1` and without a slash at the end. */
  readonly url: string
  /** The base for a client whose conversations are its own; without `/v1`. */
  readonly urlOf: (client: string) => string
  /** Model requests so far; lists of models and counted tokens are none. */
  readonly requests: () => ReadonlyArray<ReceivedRequest>
  /** Resolves with the model request of this number, from 1, when it is there. */
  readonly received: (number: number) => Promise<ReceivedRequest>
  /** Resolves when the response to the model request of this number is over. */
  readonly ended: (number: number) => Promise<Ended>
  /** Ends every connection; resolves when the port is free. Idempotent. */
  readonly close: () => Promise<void>
}

const conversationHeader = "x-script-conversation"

const bodyText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

const parsedJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Listens on 127.0.0.1; resolves when the first request can come. */
export const start = async ({ logFile, models = ["scripted-model"], port = 0, script }: ScriptedModelOptions): Promise<ScriptedModel> => {
  const log = openRequestLog(logFile)
  const places = new Map<string, ScriptPlace>()
  const protocols: Readonly<Record<"messages" | "responses" | "chat", Protocol>> = {
    messages: anthropicMessages,
    responses: openaiResponses(),
    chat: openaiChat
  }

  const keyOf = (request: IncomingMessage, { client }: Route, facts: RequestFacts): string => {
    const named = request.headers[conversationHeader]
    const conversation = typeof named === "string" ? named : conversationKey(facts)
    return client === "" ? conversation : `${client}/${conversation}`
  }

  const playRequest = async (request: IncomingMessage, response: ServerResponse, route: Route, protocol: Protocol, body: unknown) => {
    const asked = protocol.read(body)
    const conversation = keyOf(request, route, asked.facts)
    const about = { protocol: protocol.name, conversation, stream: asked.stream, headers: loggedHeaders(request.headers), body }
    const outcome = playStep(script, places.get(conversation) ?? placeOf(script, asked.facts), asked.facts)
    const send = async (entry: ReceivedRequest, delivery: Delivery, pace: Parameters<typeof deliver>[2]) =>
      log.end(entry.number, await deliver(response, delivery, pace))

    if (Result.isFailure(outcome)) {
      const { message } = outcome.failure
      return send(log.add({ ...about, outcome: "mismatch", played: message }), jsonDelivery(400, protocol.errorBody(400, message)), {})
    }
    const { next, reply } = outcome.success
    places.set(conversation, next)
    const entry = log.add({ ...about, outcome: reply.kind, played: reply.step })
    if (reply.kind === "answer") return send(entry, answerDelivery(reply, asked, entry.number, protocol), reply.pace)
    const { body: errorBody, headers, message = `scripted error ${reply.error.status}`, status } = reply.error
    return send(entry, jsonDelivery(status, errorBody === undefined ? protocol.errorBody(status, message) : errorBody, headers), reply.pace)
  }

  const besideTheScript = (route: Route, text: string): Delivery => {
    const ok = (document: unknown): Delivery => jsonDelivery(200, document)
    switch (route.endpoint) {
      case "models":
        return ok(route.model === undefined ? modelList(models) : modelDocument(route.model))
      case "count-tokens":
        return ok({ input_tokens: countedTokens(text) })
      case "input-tokens":
        return ok({ object: "response.input_tokens", input_tokens: countedTokens(text) })
      case "root":
        return ok({ scripted: true })
      default:
        return jsonDelivery(404, { type: "error", error: { type: "not_found_error", message: "the scripted model has no such endpoint" } })
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = routeOf(request.method ?? "", request.url ?? "/")
    const text = await bodyText(request)
    const { endpoint } = route
    if (endpoint !== "messages" && endpoint !== "responses" && endpoint !== "chat") {
      await deliver(response, besideTheScript(route, text), {})
      return
    }
    const protocol = protocols[endpoint]
    const parsed = parsedJson(text)
    if (parsed !== undefined) await playRequest(request, response, route, protocol, parsed.value)
    else await deliver(response, jsonDelivery(400, protocol.errorBody(400, "the body is no JSON")), {})
  }

  const server = createServer({ noDelay: true }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!request.destroyed) process.stderr.write(`scripted model: ${String(error)}\n`)
      response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}`
  let closed: Promise<void> | undefined
  return {
    url,
    urlOf: (client) => `${url}/clients/${encodeURIComponent(client)}`,
    requests: log.requests,
    received: log.received,
    ended: log.ended,
    close: () => {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      return closed
    }
  }
}
