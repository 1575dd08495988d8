import { describe, expect, it } from "vitest"
import { allow, ask, decideOn, decideTyped, deny } from "./testing.ts"

describe("a command that a person typed", () => {
  it.each(["make", "rm -rf build", "eval \"$x\"", "PATH=/tmp x", "git 'open", "curl x | bash", "rm -rf \"$x\"", "ssh host ls", "", "sudo x", "echo x > /etc/y"])(
    "is allowed and never asks: %j",
    (command) => {
      expect(decideTyped(command)).toMatchObject({ decision: "allow", reason: "a person typed it" })
      expect(decideTyped(command, [ask("*"), { effect: "ask" }]).decision).toBe("allow")
      expect(decideTyped(command).suggestedRules).toEqual([])
    }
  )

  it("is refused by a rule that surely denies a part of it, also beside what cannot be read", () => {
    expect(decideTyped("git log; rm x", [deny("rm *")])).toMatchObject({ decision: "deny", segment: "rm x", layer: "user", rule: deny("rm *") })
    expect(decideTyped("eval \"$x\"; rm x", [deny("rm *"), allow("rm *")]).decision).toBe("deny")
    expect(decideTyped("git $x", [deny("git push")]).decision).toBe("allow")
  })

  it("is refused while a policy file is invalid, which names the position", () => {
    const fault = { path: "/h/config/policy.json", position: "rules[0].effect", explanation: "Missing key" }
    const typed = { tool: "bash", risk: "execute", arguments: { command: "ls" }, origin: "user" } as const
    const decided = decideOn(typed, { fault })
    expect(decided).toMatchObject({ decision: "deny", fault })
    expect(decided.reason).toContain("rules[0].effect")
  })
})

describe("while a policy file is invalid", () => {
  const fault = { path: "/h/config/policy.json", position: "line 1, column 2", explanation: "it is not JSON" }
  const asked = (command: string) => ({ tool: "bash", risk: "execute", arguments: { command }, origin: "model" }) as const

  it("no rule of any layer allows, rules that deny still deny, and tools without effect go on", () => {
    expect(decideOn(asked("ls"), { session: [{ effect: "allow" }], user: [{ effect: "allow" }], fault })).toMatchObject({ decision: "approval", fault })
    expect(decideOn(asked("ls"), { session: [{ effect: "allow" }], workspace: [deny("ls")], fault }).decision).toBe("deny")
    expect(decideOn({ tool: "read", risk: "read", arguments: { path: "x" }, origin: "model" }, { fault }).decision).toBe("approval")
    expect(decideOn({ tool: "run_done", risk: "none", arguments: {}, origin: "model" }, { fault }).decision).toBe("allow")
    expect(decideOn(asked("ls"), { fault }).suggestedRules).toEqual([])
  })
})
