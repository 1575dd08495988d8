import { describe, expect, it } from "vitest"
import { allow, ask, decideCommand, decideOn, deny } from "./testing.ts"

const offered = (command: string) => decideCommand(command).suggestedRules.map(({ command: words, path, tool }) => words ?? `${tool} ${path}`)

describe("an asking command is offered", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    ["npm test", ["npm test", "npm test *"]],
    ["npm run build -- --watch", ["npm run build -- --watch", "npm run build *"]],
    ["git commit -m 'it'\"'\"'s'", ["git commit -m 'it'\"'\"'s'", "git commit *"]],
    ["git commit -m \"$x\"", ["git commit *"]],
    ["git -C /tmp log", ["git -C /tmp log"]],
    ["make test", ["make test", "make test *"]],
    ["make", ["make"]],
    ["ls *.ts", []],
    ["ls '*'", ["ls '*'"]],
    ["rm build", ["rm build"]],
    ["./run.sh a", ["./run.sh a"]],
    ["docker run x", ["docker run x"]],
    ["npm exec x", ["npm exec x"]],
    ["CI=1 npm test", ["npm test", "npm test *"]],
    ["PAGER='a b' git log", ["PAGER='a b' git log"]],
    ["python script.py", ["python script.py"]],
    ["timeout 5 npm test", ["npm test", "npm test *"]],
    ["bash -c 'npm test'", ["npm test", "npm test *"]],
    ["npm test | tee log", ["npm test", "npm test *", "tee log"]],
    ["npm test && npm test", ["npm test", "npm test *"]]
  ])("%j: %j", (command, rules) => {
    expect(offered(command)).toEqual(rules)
  })

  it.each([
    "bash",
    "bash script.sh",
    "sh -c x -y \"$z\"",
    "zsh script.sh",
    "python -c 'print(1)'",
    "python3 -Ic 'print(1)'",
    "node -e 1",
    "node --eval=1",
    "perl -pe 1",
    "ruby -e 1",
    "deno eval 1 -p",
    "awk '{print}' x",
    "sudo apt update",
    "env A=B npm test",
    "find . -exec ls {} \\;",
    "npx vitest",
    "eval ls",
    "ssh host ls",
    "$x",
    "X=1"
  ])("nothing when it is a shell, a wrapper, code or not known: %j", (command) => {
    const rules = offered(command)
    const program = command.split(" ")[0] ?? ""
    expect(rules.filter((rule) => rule.startsWith(program))).toEqual([])
  })

  it("never a bare *", () => {
    for (const command of ["*", "'*'", "'*' x", "git *"]) expect(offered(command)).not.toContain("*")
  })

  it("nothing when a rule asks or may deny, for no rule would help", () => {
    expect(decideCommand("git push", [ask("git *")]).suggestedRules).toEqual([])
    expect(decideCommand("git $x", [deny("git push")]).suggestedRules).toEqual([])
    expect(decideCommand("npm test; git push", [ask("git *")]).suggestedRules).toEqual([])
  })
})

describe("another asking call is offered", () => {
  it("its tool with the resolved path, or its tool", () => {
    const rules = (tool: string, risk: "read" | "write" | "control", args: Record<string, string>) =>
      decideOn({ tool, risk, arguments: args, origin: "model" }, {}, { links: { "/home/me/ws/out": "/srv/[x]" } }).suggestedRules
    expect(rules("write", "write", { path: "src/a.ts", content: "" })).toEqual([{ effect: "allow", tool: "write", path: "/home/me/ws/src/a.ts" }])
    expect(rules("read", "read", { path: "out/y*" })).toEqual([{ effect: "allow", tool: "read", path: "/srv/\\[x\\]/y\\*" }])
    expect(rules("agent", "control", { action: "start" })).toEqual([{ effect: "allow", tool: "agent" }])
    expect(rules("fetch", "control", { url: "https://a.b/c" })).toEqual([{ effect: "allow", tool: "fetch", host: "a.b" }])
  })
})

describe("a rule that was offered", () => {
  it.each(["npm test", "git commit -m \"it's\" --author 'a <b@c>'", "./x 'a b' ''", "'if' a", "echo '#' '~' \\! '{a,b}' '$x' '`x`' 'é'", "X='1 2' make a", "'A=b' c", "time-x a"])(
    "allows exactly the command it was offered for: %j",
    (command) => {
      const [exact] = decideCommand(command).suggestedRules
      expect(exact && decideCommand(command, [exact]).decision).toBe("allow")
      expect(exact && decideCommand(`${command} more`, [exact]).decision).toBe("approval")
    }
  )

  it("leaves the other segments asking", () => {
    const [first] = decideCommand("npm test && make x").suggestedRules
    expect(first).toEqual(allow("npm test"))
    expect(decideCommand("npm test && make x", [allow("npm test")])).toMatchObject({ decision: "approval", segment: "make x" })
  })
})
