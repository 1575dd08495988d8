import { describe, expect, it } from "vitest"
import { RetainedEvents } from "./retained-events.ts"
import type { TurnEvent } from "./turn-event.ts"

const model = (name: string): TurnEvent => ({ type: "model", model: name })
const models = (events: ReadonlyArray<TurnEvent>) => events.map((event) => event.type === "model" && event.model)

describe("subscribers of a Turn", () => {
  it("hear in one order what one of them causes while it is told something", () => {
    const events = new RetainedEvents(() => {})
    const heard: Array<TurnEvent> = []
    events.emit(model("a"))
    events.subscribe((event) => {
      if (event.type === "model" && event.model.length === 1) events.emit(model(`${event.model}2`))
    })
    events.subscribe((event) => heard.push(event))
    events.emit(model("b"))
    expect(models(heard)).toEqual(["a", "a2", "b", "b2"])
  })

  it("are let go when they throw, and the others do not notice", () => {
    let failures = 0
    const events = new RetainedEvents(() => failures++)
    const heard: Array<TurnEvent> = []
    events.subscribe(() => {
      throw new Error("subscriber")
    })
    events.subscribe((event) => heard.push(event))
    events.emit(model("a"))
    events.emit(model("b"))
    expect(models(heard)).toEqual(["a", "b"])
    expect(failures).toBe(1)
  })

  it("hear nothing after they left, and after the seal only what was", () => {
    const events = new RetainedEvents(() => {})
    const [left, late]: [Array<TurnEvent>, Array<TurnEvent>] = [[], []]
    const leave = events.subscribe((event) => left.push(event))
    events.emit(model("a"))
    leave()
    leave()
    events.emit(model("b"))
    events.seal(() => {})
    events.emit(model("c"))
    events.subscribe((event) => late.push(event))
    expect([models(left), models(late)]).toEqual([["a"], ["a", "b"]])
  })

  it("hear everything that came before a seal that one of them causes, and only then is it sealed", () => {
    const events = new RetainedEvents(() => {})
    const heard: Array<string> = []
    events.subscribe((event) => {
      if (event.type !== "model" || event.model !== "a") return
      events.emit(model("last"))
      events.seal(() => heard.push("sealed"))
      events.emit(model("late"))
    })
    events.subscribe((event) => heard.push(event.type === "model" ? event.model : ""))
    events.emit(model("a"))
    expect(heard).toEqual(["a", "last", "sealed"])
  })
})
