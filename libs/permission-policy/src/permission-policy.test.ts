import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../tests/temporary-folder.ts"
import { type JudgedCall, PermissionPolicy } from "./permission-policy.ts"
import { PolicyFiles } from "./policy-files.ts"
import { allow, deny } from "./testing.ts"

const fixture = Effect.gen(function*() {
  const folder = yield* temporaryFolder
  const home = { stenoHome: join(folder, "home"), userHome: join(folder, "person") }
  const workspace = join(home.userHome, "ws")
  mkdirSync(workspace, { recursive: true })
  mkdirSync(join(home.stenoHome, "config"), { recursive: true })
  const policy = yield* PermissionPolicy.pipe(Effect.provide(PermissionPolicy.layer(home)))
  const files = yield* PolicyFiles.pipe(Effect.provide(PolicyFiles.layer(home)))
  const judge = (tool: string, risk: JudgedCall["risk"], args: JudgedCall["arguments"], more: Partial<JudgedCall> = {}) =>
    Effect.map(
      policy.judge({ tool, risk, arguments: args, origin: "model", workspace, ownFiles: [], sessionRules: [], ...more }),
      ({ decision }) => decision
    )
  return { folder, ...home, workspace, policy, files, judge, userFile: join(home.stenoHome, "config", "policy.json") }
})

describe("a call on real files", () => {
  it.effect("is judged where its path leads", () =>
    Effect.gen(function*() {
      const { folder, judge, stenoHome, workspace } = yield* fixture
      symlinkSync(folder, join(workspace, "out"))
      symlinkSync(join(stenoHome, "config", "new.json"), join(workspace, "dangling"))
      writeFileSync(join(workspace, "in"), "")
      expect(yield* judge("read", "read", { path: "in" })).toBe("allow")
      expect(yield* judge("read", "read", { path: "out/x" })).toBe("approval")
      expect(yield* judge("write", "write", { path: "dangling", content: "" }, { sessionRules: [{ effect: "allow" }] })).toBe("deny")
      expect(yield* judge("bash", "execute", { command: "echo x > dangling" }, { sessionRules: [{ effect: "allow" }] })).toBe("deny")
      expect(yield* judge("bash", "execute", { command: "rm -rf out/person/ws/.." }, { sessionRules: [{ effect: "allow" }] })).toBe("deny")
    }))

  it.effect("reads the files anew, so that a rule counts for the next call", () =>
    Effect.gen(function*() {
      const { files, judge, userFile, workspace } = yield* fixture
      const command = { command: "make x" }
      expect(yield* judge("bash", "execute", command)).toBe("approval")
      yield* files.addRules("user", workspace, [allow("make *")])
      expect(yield* judge("bash", "execute", command)).toBe("allow")
      yield* files.addRules("workspace", workspace, [deny("make x")])
      expect(yield* judge("bash", "execute", command)).toBe("deny")
      writeFileSync(join(workspace, ".steno", "policy.json"), "{\"rules\":[]}")
      expect(yield* judge("bash", "execute", command)).toBe("allow")
      writeFileSync(userFile, "{")
      expect(yield* judge("bash", "execute", command, { sessionRules: [allow("make *")] })).toBe("approval")
    }))

  it.effect("starts in its cwd", () =>
    Effect.gen(function*() {
      const { judge, workspace } = yield* fixture
      mkdirSync(join(workspace, "src"))
      const sessionRules = [{ effect: "allow" } as const]
      expect(yield* judge("bash", "execute", { command: "rm -rf *", cwd: "src" }, { sessionRules })).toBe("allow")
      expect(yield* judge("bash", "execute", { command: "rm -rf ..", cwd: "src" }, { sessionRules })).toBe("deny")
      expect(yield* judge("bash", "execute", { command: "rm -rf *", cwd: workspace }, { sessionRules })).toBe("deny")
    }))
})

describe("a direct command on real files", () => {
  it.effect("is allowed, and refused by a guardrail, a rule that denies, or an invalid file", () =>
    Effect.gen(function*() {
      const { files, policy, userFile, workspace } = yield* fixture
      const decide = (command: string) => Effect.map(policy.judgeDirectCommand({ command, workspace }), ({ decision, fault }) => [decision, fault?.position])
      expect(yield* decide("make; eval x")).toEqual(["allow", undefined])
      expect(yield* decide("rm -rf .")).toEqual(["deny", undefined])
      yield* files.addRules("user", workspace, [deny("make *")])
      expect(yield* decide("ls; make")).toEqual(["deny", undefined])
      writeFileSync(userFile, "{\"rules\": [{\"effect\": \"never\"}]}")
      expect(yield* decide("ls")).toEqual(["deny", "rules[0].effect"])
    }))
})
