import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { start } from "./index.ts"
import { says, served } from "./testing.ts"

const ask = (base: string, words: string, headers: Readonly<Record<string, string>> = {}, more: ReadonlyArray<unknown> = []) =>
  fetch(`${base}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: words }, ...more] })
  })

const answerOf = async (response: Response): Promise<unknown> => {
  const document = (await response.json()) as { readonly choices?: ReadonlyArray<{ readonly message: { readonly content: unknown } }>; readonly error?: { readonly message: unknown } }
  return document.choices?.[0]?.message.content ?? document.error?.message
}

const counting = { steps: [says("one"), says("two"), says("three")] }

describe("conversations", () => {
  it("that begin with other words play the script independently, also at once", async () => {
    const { url } = await served(counting)
    const answers = await Promise.all(["a", "b", "c"].map(async (words) => [await answerOf(await ask(url, words)), await answerOf(await ask(url, words))]))
    expect(answers).toEqual([["one", "two"], ["one", "two"], ["one", "two"]])
  })

  it("that begin with the same words are kept apart by the client's own base or a header", async () => {
    const server = await served(counting)
    expect(await answerOf(await ask(server.urlOf("first"), "a"))).toBe("one")
    expect(await answerOf(await ask(server.urlOf("second/x"), "a"))).toBe("one")
    expect(await answerOf(await ask(server.url, "a", { "x-script-conversation": "third" }))).toBe("one")
    expect(await answerOf(await ask(server.urlOf("first"), "a"))).toBe("two")
    expect(await answerOf(await ask(server.url, "other words", { "x-script-conversation": "third" }))).toBe("two")
  })

  it("go on in the middle on a server that never met them", async () => {
    const { url } = await served(counting)
    expect(await answerOf(await ask(url, "a", {}, [{ role: "assistant", content: "one" }, { role: "user", content: "b" }]))).toBe("two")
  })
})

describe("a request that no step answers", () => {
  it("is refused with the mismatch, is not retried by a status, and uses nothing up", async () => {
    const server = await served({ steps: [{ ...says("ok"), expect: { input: "please" } }] })
    const refused = await ask(server.url, "go", { "x-script-conversation": "x" })
    expect(refused.status).toBe(400)
    expect(await answerOf(refused)).toBe("script mismatch at step 1: the new input does not contain \"please\"")
    expect(server.requests()).toMatchObject([{ number: 1, outcome: "mismatch", played: expect.stringContaining("script mismatch") }])
    expect(await answerOf(await ask(server.url, "please go", { "x-script-conversation": "x" }))).toBe("ok")
  })

  it("is refused when its body is no JSON, or its path nothing of a model", async () => {
    const { url } = await served(counting)
    expect((await fetch(`${url}/v1/messages`, { method: "POST", body: "{" })).status).toBe(400)
    expect((await fetch(`${url}/v1/embeddings`, { method: "POST", body: "{}" })).status).toBe(404)
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200)
  })
})

describe("the log", () => {
  it("has one line per request when it came, without keys, readable for its owner only", async () => {
    const folder = mkdtempSync(join(tmpdir(), "steno-scripted-model-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const logFile = join(folder, "requests.jsonl")
    const server = await served({ steps: [{ ...says("ok"), fault: { type: "stall", at: "start" } }, says("ok")] }, { logFile })
    const abort = new AbortController()
    const stalled = fetch(`${server.url}/v1/messages`, {
      method: "POST",
      signal: abort.signal,
      headers: { "x-api-key": "sk-secret", authorization: "Bearer sk-secret", "x-other": "kept" },
      body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "a" }] })
    }).catch((error: unknown) => error)
    await server.received(1)
    abort.abort()
    expect(await stalled).toBeInstanceOf(Error)
    expect(await server.ended(1)).toBe("client-left")
    await ask(server.url, "a")
    const lines = readFileSync(logFile, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as unknown)
    expect(lines).toEqual(server.requests())
    expect(lines).toMatchObject([
      { number: 1, protocol: "anthropic-messages", stream: true, outcome: "answer", played: "step 1", headers: { "x-other": "kept" }, body: { model: "m" } },
      { number: 2, protocol: "openai-chat", stream: false, played: "step 2" }
    ])
    expect(readFileSync(logFile, "utf8")).not.toContain("sk-secret")
    expect(statSync(logFile).mode & 0o077).toBe(0)
  })
})

/** What comes over the socket until it ends: the bytes that a request to `url` is answered with. */
const rawAnswer = (url: string, request: unknown): Promise<string> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify(request)
    const chunks: Array<Buffer> = []
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
      socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    })
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("error", reject)
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")))
  })

describe("the wire", () => {
  const request = { model: "m", stream: true, messages: [{ role: "user", content: "a" }] }

  it("has one HTTP chunk per byte where the script wants that", async () => {
    const { url } = await served({ steps: [{ ...says("é🥊"), pace: { writeBytes: 1 } }] })
    const [, chunks = ""] = (await rawAnswer(url, request)).split(/\r\n\r\n(.*)/s)
    const sizes = [...chunks.matchAll(/([0-9a-f]+)\r\n([^]{0,1})\r\n/g)].map(([, size]) => size)
    expect(new Set(sizes)).toEqual(new Set(["1", "0"]))
    expect(sizes.length).toBeGreaterThan(400)
  })

  it("has a huge frame of exactly the wanted size", async () => {
    const { url } = await served({ steps: [{ ...says("x"), fault: { type: "huge-frame", at: 0, bytes: 4096 } }] })
    expect(await rawAnswer(url, request)).toMatch(/\r\n1000\r\ndata: .*x{3000}/s)
  })

  it("ends without its last chunk where the script disconnects", async () => {
    const { url } = await served({ steps: [{ ...says("abc"), fault: { type: "disconnect" } }] })
    const raw = await rawAnswer(url, request)
    expect(raw).toContain("\"content\":\"abc\"")
    expect(raw).not.toContain("[DONE]")
    expect(raw).not.toMatch(/\r\n0\r\n\r\n$/)
  })

  it("is the same on every server for the same script and requests", async () => {
    const answers = await Promise.all([1, 2].map(async () => rawAnswer((await served(counting)).url, request)))
    const [first = "", second] = answers.map((raw) => raw.replace(/\r\ndate: [^\r]*/i, ""))
    expect(first).toContain("[DONE]")
    expect(second).toBe(first)
  })
})

describe("faults without a stream", () => {
  it("break the document in the way that is left", async () => {
    const { url } = await served({
      steps: [
        { ...says("abc"), fault: { type: "disconnect", at: "start" } },
        { ...says("abc"), fault: { type: "disconnect" } },
        { ...says("abc"), fault: { type: "malformed-frame" } },
        { ...says("abc"), fault: { type: "error-frame", status: 503 } },
        { ...says("abc"), fault: { type: "huge-frame", bytes: 10_000 } },
        { error: { status: 500, body: "<html>" } }
      ]
    })
    await expect(ask(url, "a")).rejects.toThrow()
    await expect(ask(url, "a").then((response) => response.text())).rejects.toThrow()
    await expect(ask(url, "a").then((response) => response.json())).rejects.toThrow(SyntaxError)
    expect((await ask(url, "a")).status).toBe(503)
    expect((await (await ask(url, "a")).text()).length).toBe(10_000)
    const refused = await ask(url, "a")
    expect([refused.status, await refused.text()]).toEqual([500, "<html>"])
  })
})

describe("closing", () => {
  it("ends stalled responses and frees the port, also when asked twice", async () => {
    const server = await start({ script: { steps: [{ ...says("ok"), fault: { type: "stall", at: "start" } }] } })
    const stalled = ask(server.url, "a").catch((error: unknown) => error)
    await server.received(1)
    await Promise.all([server.close(), server.close()])
    expect(await stalled).toBeInstanceOf(Error)
    const again = await served(counting, { port: Number(new URL(server.url).port) })
    expect(await answerOf(await ask(again.url, "a"))).toBe("one")
  })

  it("a port that is taken is refused", async () => {
    const { url } = await served(counting)
    await expect(start({ script: counting, port: Number(new URL(url).port) })).rejects.toThrow("EADDRINUSE")
  })
})
