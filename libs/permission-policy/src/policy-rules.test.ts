import type { PolicyRule } from "@steno/contracts"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { CallToJudge } from "./call-units.ts"
import { compileRules } from "./policy-layers.ts"
import { allow, ask, decideCommand, decideOn, deny, type TestFacts, testPlace } from "./testing.ts"

const call = (tool: string, risk: CallToJudge["risk"], args: CallToJudge["arguments"] = {}): CallToJudge =>
  ({ tool, risk, arguments: args, origin: "model" })
const read = (path: string) => call("read", "read", { path })
const write = (path: string) => call("write", "write", { path, content: "" })
const decide = (asked: CallToJudge, rules: ReadonlyArray<PolicyRule> = [], facts: TestFacts = {}) => decideOn(asked, { user: rules }, facts).decision

describe("without rules", () => {
  it.each<readonly [CallToJudge, string]>([
    [read("src/a.ts"), "allow"],
    [read("/home/me/ws/src/a.ts"), "allow"],
    [read("."), "allow"],
    [call("grep", "read", { pattern: "x" }), "allow"],
    [call("ls", "read", { path: "src/../lib" }), "allow"],
    [read("/etc/passwd"), "approval"],
    [read("../other"), "approval"],
    [read("/home/me/ws-other/x"), "approval"],
    [write("src/a.ts"), "approval"],
    [call("bash", "execute", { command: "git status" }), "approval"],
    [call("async_bash", "execute", { action: "start", command: "x" }), "approval"],
    [call("async_bash", "none", { action: "status" }), "allow"],
    [call("ask_user", "none", { questions: [] }), "allow"],
    [call("agent", "control", { action: "start" }), "approval"],
    [call("bash", "execute", {}), "approval"],
    [call("explore", "read", { prompts: [] }), "allow"]
  ])("%j: %s", (asked, decision) => {
    expect(decide(asked)).toBe(decision)
  })

  it("a link that leads outside is outside, also for a file that does not exist yet", () => {
    const facts = { links: { "/home/me/ws/out": "/etc" } }
    expect(decide(read("out/passwd"), [], facts)).toBe("approval")
    expect(decide(write("out/new"), [{ effect: "allow", path: "**" }], facts)).toBe("approval")
  })
})

describe("between layers", () => {
  const asked = call("bash", "execute", { command: "make x" })
  const layers = (session: string, workspace: string, user: string) => {
    const of = (effect: string): ReadonlyArray<PolicyRule> =>
      effect === "-" ? [] : effect.split("+").map((one) => ({ effect: one as PolicyRule["effect"], command: "make *" }))
    return decideOn(asked, { session: of(session), workspace: of(workspace), user: of(user) })
  }

  it.each([
    ["-", "-", "-", "approval", "default"],
    ["-", "-", "allow", "allow", "user"],
    ["-", "ask", "allow", "approval", "workspace"],
    ["-", "allow", "ask", "allow", "workspace"],
    ["allow", "ask", "ask", "allow", "session"],
    ["ask", "allow", "allow", "approval", "session"],
    ["-", "allow+ask", "-", "approval", "workspace"],
    ["-", "ask+allow", "-", "approval", "workspace"],
    ["allow", "allow", "deny", "deny", "user"],
    ["allow", "deny", "allow", "deny", "workspace"],
    ["deny", "allow", "allow", "deny", "session"],
    ["allow", "allow+deny", "allow", "deny", "workspace"]
  ])("session %s, workspace %s, user %s: %s by %s", (session, workspace, user, decision, layer) => {
    expect(layers(session, workspace, user)).toMatchObject({ decision, layer })
  })

  it("the rule's own reason is the reason", () => {
    expect(decideOn(asked, { user: [{ effect: "deny", tool: "bash", reason: "not here" }] }).reason).toBe("not here")
  })
})

describe("words of a command", () => {
  it.each<readonly [string, string, boolean]>([
    ["git *", "git", true],
    ["git *", "git status", true],
    ["git *", "git status -s", true],
    ["git *", "gitk", false],
    ["git *", "git-x status", false],
    ["git status", "git status", true],
    ["git status", "git  'status'", true],
    ["git status", "git status -s", false],
    ["git status", "git stat\\us", true],
    ["git status *", "git -c x=y status", false],
    ["git commit -m 'a b'", "git commit -m \"a b\"", true],
    ["git commit -m 'a b'", "git commit -m a b", false],
    ["git", "/usr/bin/git", false],
    ["/usr/bin/git", "/usr/bin/git", true],
    ["git *", "./git x", false],
    ["echo '*'", "echo '*'", true],
    ["echo '*'", "echo *", false],
    ["echo '*'", "echo x", false],
    ["git log *", "git log $x", true],
    ["git log *", "git $x", false],
    ["git log", "git $x", false],
    ["git log x", "git log *", false],
    ["FOO=1 make", "FOO=1 make", true],
    ["make", "FOO=1 make", false]
  ])("`%s` allows `%s`: %s", (rule, command, allows) => {
    expect(decideCommand(command, [allow(rule)]).decision).toBe(allows ? "allow" : "approval")
  })

  it.each<readonly [string, string, string]>([
    ["git push *", "git push", "deny"],
    ["git push *", "git pull", "allow"],
    ["git push *", "git $x", "approval"],
    ["git push *", "git \"$x\" origin", "approval"],
    ["git push *", "git pu*", "approval"],
    ["git push --force", "git push \"$x\"", "approval"],
    ["git push --force", "git push \"$x\" y", "allow"],
    ["git push --force", "git push $x y", "allow"],
    ["git push --force y", "git push $x y", "approval"],
    ["git push *", "git log $x", "allow"],
    ["git *", "/usr/bin/git log", "deny"],
    ["/usr/bin/git *", "git log", "allow"],
    ["git *", "A=1 git log", "deny"]
  ])("deny `%s` on `%s`: %s", (rule, command, decision) => {
    expect(decideCommand(command, [{ effect: "allow" }, deny(rule)]).decision).toBe(decision)
  })

  it("that may be those of a rule that asks ask", () => {
    expect(decideCommand("git $x", [allow("git *"), ask("git push *")])).toMatchObject({ decision: "approval", rule: ask("git push *") })
  })
})

describe("paths", () => {
  it.each<readonly [string, string, boolean]>([
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/x/a.ts", false],
    ["src/**", "src/x/a.ts", true],
    ["src/**", "src", true],
    ["src/**/a.ts", "src/a.ts", true],
    ["./src/*", "src/a", true],
    ["**/*.{ts,tsx}", "x/y.tsx", true],
    ["**/*.{ts,tsx}", "x/y.js", false],
    ["/home/me/ws/a?", "ab", true],
    ["a[b-d]", "ac", true],
    ["a[!b-d]", "ac", false],
    ["~/notes/*", "/home/me/notes/x", true],
    ["src/**", "src/../../other", false],
    ["src/**", "/etc/passwd", false],
    ["/tmp/**", "/tmp/x", true],
    ["a\\*", "a*", true],
    ["a\\*", "ab", false]
  ])("`%s` covers a write of `%s`: %s", (path, written, allows) => {
    expect(decide(write(written), [{ effect: "allow", path }])).toBe(allows ? "allow" : "approval")
  })

  it("a rule that denies holds for where a path leads and for how it is written", () => {
    const facts = { links: { "/home/me/ws/link": "/home/me/ws/secret" } }
    expect(decide(read("link/x"), [{ effect: "deny", path: "secret/**" }], facts)).toBe("deny")
    expect(decide(read("link/x"), [{ effect: "deny", path: "link/**" }], facts)).toBe("deny")
    expect(decide(read("link/x"), [{ effect: "allow", path: "link/**" }, { effect: "ask", risk: "read" }], facts)).toBe("approval")
  })

  it("a rule that denies is held against the words of a command, one that allows is not", () => {
    const rules: ReadonlyArray<PolicyRule> = [{ effect: "allow", tool: "bash" }, { effect: "deny", path: "**/.env" }]
    expect(decideCommand("cat .env", rules).decision).toBe("deny")
    expect(decideCommand("cat ./conf/.env", rules).decision).toBe("deny")
    expect(decideCommand("cd conf && cat .env", rules).decision).toBe("deny")
    expect(decideCommand("tool --file=.env", rules).decision).toBe("deny")
    expect(decideCommand("cat $x", rules).decision).toBe("approval")
    expect(decideCommand("cat *", rules).decision).toBe("approval")
    expect(decideCommand("cat /etc/*", rules).decision).toBe("allow")
    expect(decideCommand("cat src/a", [{ effect: "allow", path: "src/**" }]).decision).toBe("approval")
  })

  it("a rule about writing is held against operands that are written, and perhaps against others", () => {
    const rules: ReadonlyArray<PolicyRule> = [{ effect: "allow", tool: "bash" }, { effect: "deny", risk: "write", path: "lock" }]
    expect(decideCommand("cat lock", rules).decision).toBe("allow")
    expect(decideCommand("cp lock x", rules).decision).toBe("allow")
    expect(decideCommand("cp x lock", rules).decision).toBe("deny")
    expect(decideCommand("program lock", rules).decision).toBe("approval")
    expect(decideCommand("git log > lock", rules).decision).toBe("deny")
  })
})

describe("hosts", () => {
  const bash: PolicyRule = { effect: "allow", tool: "bash" }

  it.each<readonly [string, string, string]>([
    ["example.com", "curl https://example.com/x", "deny"],
    ["example.com", "curl https://EXAMPLE.com:8443", "deny"],
    ["example.com", "curl https://user:pw@example.com/", "deny"],
    ["example.com", "curl https://www.example.com/", "allow"],
    ["*.example.com", "curl https://www.example.com/", "deny"],
    ["*.example.com", "curl https://example.com/", "deny"],
    ["*.example.com", "curl https://badexample.com/", "allow"],
    ["example.com", "curl example.com/x", "deny"],
    ["example.com", "git clone git@example.com:a/b", "deny"],
    ["example.com", "program --url=http://example.com", "deny"],
    ["example.com", "curl \"$x\"", "approval"],
    ["example.com", "program \"$x\"", "allow"],
    ["*", "curl https://a.b", "deny"]
  ])("deny `%s` on `%s`: %s", (host, command, decision) => {
    expect(decideCommand(command, [bash, { effect: "deny", host }]).decision).toBe(decision)
  })

  it("a rule that allows covers a command only when every host is known and its own", () => {
    const rules: ReadonlyArray<PolicyRule> = [{ effect: "allow", command: "curl *", host: "example.com" }]
    expect(decideCommand("curl https://example.com/x", rules).decision).toBe("allow")
    expect(decideCommand("curl https://example.com https://other.com", rules).decision).toBe("approval")
    expect(decideCommand("curl https://example.com $x", rules).decision).toBe("approval")
    expect(decideCommand("curl file", rules).decision).toBe("approval")
    expect(decide(call("fetch", "control", { url: "https://example.com/a" }), [{ effect: "allow", host: "example.com" }])).toBe("allow")
    expect(decide(call("fetch", "control", { url: "https://other.com/a" }), [{ effect: "allow", host: "example.com" }])).toBe("approval")
  })
})

describe("where and with what a command starts", () => {
  const start = (args: CallToJudge["arguments"]) => decide(call("bash", "execute", { command: "git status", ...args }), [allow("git *")])

  it("asks outside the Workspace, as `cd` in front would", () => {
    expect([start({ cwd: "src" }), start({ cwd: "/home/me/ws" }), start({ cwd: "/etc" }), start({ cwd: ".." })])
      .toEqual(["allow", "allow", "approval", "approval"])
  })

  it("asks with variables that may change what runs, as assignments in front would", () => {
    expect([start({ env: { CI: "1" } }), start({ env: { PATH: "/tmp" } }), start({ env: { GIT_PAGER: "x" } })])
      .toEqual(["allow", "approval", "approval"])
    expect(start({ command: "nohup git status", env: { GIT_PAGER: "x" } })).toBe("approval")
  })

  it("shows the variables with what they are set to, and takes a rule that names them", () => {
    const command = (env: Readonly<Record<string, string>>, rules: ReadonlyArray<PolicyRule>) =>
      decideOn(call("bash", "execute", { command: "git status", env }), { user: rules })
    expect(command({ GIT_PAGER: "less x" }, [allow("git *")])).toMatchObject({
      segment: "GIT_PAGER='less x' git status",
      suggestedRules: [allow("GIT_PAGER='less x' git status")]
    })
    expect(command({ GIT_PAGER: "less x" }, [allow("GIT_PAGER='less x' git *")]).decision).toBe("allow")
    expect(command({ LD_PRELOAD: "/tmp/a b.so" }, [{ effect: "allow" }]))
      .toMatchObject({ decision: "approval", segment: "LD_PRELOAD='/tmp/a b.so'", suggestedRules: [] })
    expect(command({ GIT_PAGER: "x" }, [{ effect: "allow" }, { effect: "deny", command: "git status" }]).decision).toBe("deny")
  })
})

describe("a rule that cannot be read", () => {
  it.each<readonly [PolicyRule, string]>([
    [allow("git && rm"), "rules[1].command"],
    [allow("git * --force"), "rules[1].command"],
    [allow("git st*"), "rules[1].command"],
    [allow("git $x"), "rules[1].command"],
    [allow("git 'x"), "rules[1].command"],
    [allow("git > x"), "rules[1].command"],
    [allow("  "), "rules[1].command"],
    [{ effect: "deny", path: "a/{b,c" }, "rules[1].path"],
    [{ effect: "deny", path: "../x" }, "rules[1].path"],
    [{ effect: "deny", host: "https://x" }, "rules[1].host"],
    [{ effect: "deny", host: "a.*" }, "rules[1].host"]
  ])("is named by its position: %j at %s", (rule, position) => {
    const compiled = compileRules([allow("git *"), rule], testPlace)
    expect(Result.isFailure(compiled) && compiled.failure.position).toBe(position)
  })
})
