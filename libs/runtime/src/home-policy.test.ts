import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { homePolicyLayer } from "./home-policy.ts"
import { temporaryFolder } from "./testing.ts"
import { WorkspacePolicy } from "./workspace-policy.ts"

const fixture = Effect.gen(function*() {
  const folder = yield* temporaryFolder
  const [home, workspace] = [join(folder, "home"), join(folder, "ws")]
  mkdirSync(workspace)
  const policy = yield* Layer.build(homePolicyLayer({ path: home, userHome: folder })).pipe(
    Effect.flatMap((context) => Effect.provide(WorkspacePolicy, context))
  )
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, text)
  }
  return {
    home,
    workspace,
    policy,
    writeUser: (text: string) => write(join(home, "config", "policy.json"), text),
    writeTrust: (text: string) => write(join(home, "config", "trust.json"), text),
    writeOwn: (text: string) => write(join(workspace, ".steno", "policy.json"), text)
  }
})

const deny = { effect: "deny", command: "rm *" } as const
const allow = { effect: "allow", command: "make *" } as const
const rules = (...all: ReadonlyArray<object>) => JSON.stringify({ rules: all })
const codeOf = <A>(effect: Effect.Effect<A, { readonly problem: { readonly code: string } }>) =>
  Effect.map(Effect.flip(effect), ({ problem }) => problem.code)

describe("the rules of a workspace", () => {
  it.live("are shown nearest first, a deny before what allows, and nothing is made", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, policy, workspace, writeOwn } = yield* fixture
      writeOwn(rules(allow, deny))
      const { layers, valid, workspacePath } = yield* policy.show(workspace)
      assert.deepStrictEqual(layers.map(({ layer, state }) => [layer, state]), [
        ["guardrails", "built-in"], ["workspace", "unconfirmed"], ["user", "absent"], ["default", "built-in"]
      ])
      assert.deepStrictEqual(layers[1]?.rules, [deny, allow])
      assert.deepStrictEqual([valid, workspacePath, existsSync(home)], [true, workspace, false])
    })))

  it.live("count from the moment they are confirmed until the file changes, and the digest of all rules follows", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, policy, workspace, writeOwn } = yield* fixture
      const state = Effect.map(policy.show(workspace), ({ layers }) => layers[1]?.state)
      assert.strictEqual(yield* codeOf(policy.confirm(workspace)), "policy-not-found")
      writeOwn(rules(allow))
      const before = yield* policy.show(workspace)
      const seen = before.layers[1]?.digest
      const confirmed = yield* policy.confirm(workspace, seen)
      assert.deepStrictEqual([confirmed.digest, confirmed.changed], [seen, true])
      assert.strictEqual(statSync(home).mode & 0o777, 0o700)
      assert.strictEqual(yield* state, "in-force")
      assert.notStrictEqual((yield* policy.show(workspace)).policyDigest, before.policyDigest)
      writeOwn(rules(allow, deny))
      assert.strictEqual(yield* state, "unconfirmed")
      assert.strictEqual(yield* codeOf(policy.confirm(workspace, seen)), "policy-changed")
      assert.include(readFileSync(join(home, "config", "trust.json"), "utf8"), confirmed.digest)
    })))

  it.live("of an invalid file are shown with the position of the fault", () =>
    Effect.scoped(Effect.gen(function*() {
      const { policy, workspace, writeOwn, writeUser } = yield* fixture
      writeUser("{\"rules\": [{\"effect\": \"deny\", \"comand\": \"rm\"}]}")
      writeOwn("{\"rules\": [,]}")
      const { layers, valid } = yield* policy.show(workspace)
      assert.deepStrictEqual(layers.map(({ fault, state }) => [state, fault?.position]), [
        ["built-in", undefined], ["unconfirmed", "line 1, column 12"], ["invalid", "rules[0].comand"], ["built-in", undefined]
      ])
      assert.isFalse(valid)
      assert.strictEqual(yield* codeOf(policy.confirm(workspace)), "policy-invalid")
    })))

  it.live("are in doubt while the list of confirmations cannot be read, and confirming does not overwrite it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, policy, workspace, writeOwn, writeTrust } = yield* fixture
      writeOwn(rules(allow))
      writeTrust("{\"workspaces\": []}")
      const { layers, valid } = yield* policy.show(workspace)
      assert.deepStrictEqual([layers[1]?.state, valid], ["invalid", false])
      assert.match(layers[1]?.fault?.position ?? "", /trust\.json: workspaces$/)
      assert.strictEqual(yield* codeOf(policy.confirm(workspace)), "policy-invalid")
      assert.strictEqual(readFileSync(join(home, "config", "trust.json"), "utf8"), "{\"workspaces\": []}")
    })))

  it.live("need a workspace that exists", () =>
    Effect.scoped(Effect.gen(function*() {
      const { policy, workspace } = yield* fixture
      assert.strictEqual(yield* codeOf(policy.show(join(workspace, "none"))), "workspace-not-found")
      assert.strictEqual(yield* codeOf(policy.confirm(join(workspace, "none"))), "workspace-not-found")
    })))
})
