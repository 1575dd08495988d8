import { readdirSync, readFileSync } from "node:fs"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { durableEvents, eventManifest, eventVersions, makeEventManifest } from "./event-manifest.ts"

const folder = new URL("goldens/", import.meta.url)
const goldens = readdirSync(folder).map((file) => ({
  file,
  key: file.split(".").slice(0, 2).join("."),
  payload: JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Record<string, unknown>
}))

const schemaOf = (key: string) => {
  const event = eventManifest.get(key)
  if (event === undefined) throw new Error(`No durable event ${key}`)
  return event.payload as Schema.Codec<unknown, unknown>
}

describe("the manifest of durable events", () => {
  it("throws on a duplicate type and version", () => {
    const [first] = durableEvents
    expect(() => makeEventManifest([first, { ...first }])).toThrow("Duplicate durable event turn-admitted.1")
    expect(makeEventManifest([first, { ...first, version: 2 }]).size).toBe(2)
  })

  it("holds every declared event under type.version", () => {
    expect([...eventManifest.keys()]).toEqual([
      "turn-admitted.1",
      "tool-call-started.1",
      "tool-call-started.2",
      "tool-call-response.1",
      "turn-settled.1",
      "assistant-message.1",
      "provider-retry.1",
      "steer.1",
      "turn-diff.1",
      "assistant-content.1",
      "thought.1",
      "model.1",
      "request-raised.1",
      "request-answered.1",
      "request-expired.1",
      "elicitation-declined.1",
      "agent-call.1",
      "agent-call-expired.1"
    ])
  })

  it("names the versions of a type, the newest first", () => {
    expect(eventVersions("tool-call-started")).toEqual([2, 1])
    for (const { type, version } of durableEvents) expect(eventVersions(type)).toContain(version)
  })

  it("has a stored example of every type and version that was ever written", () => {
    expect([...new Set(goldens.map(({ key }) => key))].sort()).toEqual([...eventManifest.keys()].sort())
  })
})

describe("stored payloads", () => {
  it.each(goldens)("$file decodes and encodes to what was stored", ({ key, payload }) => {
    const schema = schemaOf(key)
    const decoded = Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(payload)
    expect(Schema.encodeUnknownSync(schema)(decoded)).toEqual(payload)
  })

  it.each(goldens)("$file is refused when a key it has is null", ({ key, payload }) => {
    const isPayload = Schema.is(schemaOf(key))
    for (const name of Object.keys(payload)) expect(isPayload({ ...payload, [name]: null })).toBe(false)
  })

  it("a later optional field does not make an older reader refuse the payload", () => {
    for (const { key, payload } of goldens) {
      expect(() => Schema.decodeUnknownSync(schemaOf(key))({ ...payload, addedLater: 1 })).not.toThrow()
    }
  })

  it("a flag that is absent when false is refused as false", () => {
    const isResponse = Schema.is(schemaOf("tool-call-response.1"))
    const timedOut = goldens.find(({ file }) => file.includes("timed-out"))?.payload
    expect(isResponse(timedOut)).toBe(true)
    expect(isResponse({ ...timedOut, timedOut: false })).toBe(false)
  })
})
