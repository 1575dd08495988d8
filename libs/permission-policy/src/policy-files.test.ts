import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import {
  existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { temporaryFolder } from "../tests/temporary-folder.ts"
import { PolicyFiles } from "./policy-files.ts"
import { digestOf } from "./policy-layers.ts"
import { allow, deny } from "./testing.ts"

const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}
const rulesText = (...rules: ReadonlyArray<object>) => `${JSON.stringify({ rules })}\n`

const fixture = Effect.gen(function*() {
  const folder = yield* temporaryFolder
  const [home, workspace] = [join(folder, "home"), join(folder, "ws")]
  mkdirSync(workspace)
  return {
    folder,
    home,
    workspace,
    user: join(home, "config", "policy.json"),
    trust: join(home, "config", "trust.json"),
    own: join(workspace, ".steno", "policy.json"),
    layer: PolicyFiles.layer({ stenoHome: home, userHome: folder })
  }
})
type Fixture = Effect.Success<typeof fixture>

const withFiles = <A, E>(body: (files: PolicyFiles["Service"], place: Fixture) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const place = yield* fixture
    return yield* PolicyFiles.pipe(Effect.flatMap((files) => body(files, place)), Effect.provide(place.layer))
  })

const tagOf = <A, E extends { readonly reason: { readonly _tag: string } }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isSuccess(result) ? "ok" : result.failure.reason._tag))

describe("loading", () => {
  it.effect("without any file finds no rules and makes nothing", () =>
    withFiles((files, { home, workspace }) =>
      Effect.gen(function*() {
        const loaded = yield* files.load(workspace)
        expect(loaded).toMatchObject({ workspace, confirmed: false, fault: undefined, user: { rules: [], digest: undefined } })
        expect([existsSync(home), existsSync(join(workspace, ".steno"))]).toEqual([false, false])
      })))

  it.effect.each<readonly [string, string]>([
    ["{\"rules\": [}", "line 1, column 12"],
    ["{\n  \"rules\": [\n    {\"effect\": allow}\n  ]\n}", "line 3, column 16"],
    ["{\"rules\": [", "line 1, column 12"],
    ["", "line 1, column 1"],
    ["[]", "file"],
    ["{}", "rules"],
    ["{\"rules\": {}}", "rules"],
    ["{\"rules\": [], \"version\": 1}", "version"],
    ["{\"rules\": [{\"effect\": \"allow\"}, {\"effect\": \"permit\"}]}", "rules[1].effect"],
    ["{\"rules\": [{\"effect\": \"deny\", \"comand\": \"rm *\"}]}", "rules[0].comand"],
    ["{\"rules\": [{\"effect\": \"deny\", \"risk\": \"high\"}]}", "rules[0].risk"],
    ["{\"rules\": [{\"effect\": \"deny\", \"path\": \"\"}]}", "rules[0].path"],
    ["{\"rules\": [{\"effect\": \"deny\", \"command\": \"rm -rf *x\"}]}", "rules[0].command"],
    ["\ufeff{\"rules\": []}", "line 1, column 1"]
  ])("%j is invalid at %s", ([text, position]) =>
    withFiles((files, { user, workspace }) =>
      Effect.gen(function*() {
        write(user, text)
        const { fault } = yield* files.load(workspace)
        expect([fault?.path, fault?.position]).toEqual([user, position])
      })))

  it.effect("a file that is no text, no regular file or cannot be followed is invalid, never absent", () =>
    withFiles((files, { user, workspace }) =>
      Effect.gen(function*() {
        const fault = Effect.map(files.load(workspace), (loaded) => loaded.fault?.explanation)
        mkdirSync(dirname(user), { recursive: true })
        writeFileSync(user, Buffer.from([0x7b, 0xff, 0x7d]))
        expect(yield* fault).toBe("it is not UTF-8")
        rmSync(user)
        mkdirSync(user)
        expect(yield* fault).toMatch(/^it cannot be read: (?:not-regular|EISDIR)$/)
        rmSync(user, { recursive: true })
        symlinkSync("policy.json", user)
        expect(yield* fault).toBe("it cannot be read: ELOOP")
      })))

  it.effect("rules of a Workspace count only while exactly its file is confirmed", () =>
    withFiles((files, { own, workspace }) =>
      Effect.gen(function*() {
        write(own, rulesText(allow("make *")))
        expect((yield* files.load(workspace)).confirmed).toBe(false)
        yield* files.confirm(workspace)
        expect(yield* files.load(workspace)).toMatchObject({ confirmed: true, workspaceFile: { rules: [allow("make *")] } })
        writeFileSync(own, rulesText(allow("make *"), allow("rm *")))
        expect((yield* files.load(workspace)).confirmed).toBe(false)
        writeFileSync(own, "no JSON")
        expect(yield* files.load(workspace)).toMatchObject({ confirmed: false, fault: undefined })
      })))

  it.effect("confirmations are by the real path of the Workspace, and an invalid list of them is a fault", () =>
    withFiles((files, { folder, own, trust, workspace }) =>
      Effect.gen(function*() {
        write(own, rulesText())
        symlinkSync(workspace, join(folder, "link"))
        yield* files.confirm(join(folder, "link"))
        expect((yield* files.load(workspace)).confirmed).toBe(true)
        expect(JSON.parse(readFileSync(trust, "utf8"))).toEqual({ workspaces: { [workspace]: digestOf(rulesText()) } })
        writeFileSync(trust, "{\"workspaces\": {\"/x\": \"md5:1\"}}")
        expect((yield* files.load(workspace)).fault).toMatchObject({ path: trust, position: "workspaces./x" })
      })))
})

describe("confirming", () => {
  it.effect("takes the digest that was looked at or refuses, and says whether it is new", () =>
    withFiles((files, { own, trust, workspace }) =>
      Effect.gen(function*() {
        expect(yield* tagOf(files.confirm(workspace))).toBe("PolicyNotFound")
        const seen = rulesText(allow("make *"))
        write(own, seen)
        writeFileSync(own, rulesText(allow("rm *")))
        expect(yield* tagOf(files.confirm(workspace, digestOf(seen)))).toBe("PolicyChanged")
        expect(existsSync(trust)).toBe(false)
        writeFileSync(own, seen)
        const confirmed = { path: own, digest: digestOf(seen) }
        expect(yield* files.confirm(workspace, digestOf(seen))).toEqual({ ...confirmed, changed: true })
        expect(yield* files.confirm(workspace)).toEqual({ ...confirmed, changed: false })
        expect(statSync(trust).mode & 0o777).toBe(0o600)
        expect(statSync(dirname(trust)).mode & 0o777).toBe(0o700)
        writeFileSync(own, "{")
        expect(yield* tagOf(files.confirm(workspace))).toBe("PolicyInvalid")
      })))
})

describe("adding a rule", () => {
  it.effect("reads the file again and replaces it whole, closed to others", () =>
    withFiles((files, { user, workspace }) =>
      Effect.gen(function*() {
        yield* files.addRules("user", workspace, [allow("make *")])
        writeFileSync(user, rulesText(allow("make *"), deny("rm *")))
        const added = yield* files.addRules("user", workspace, [allow("npm test")])
        expect(JSON.parse(readFileSync(user, "utf8"))).toEqual({ rules: [allow("make *"), deny("rm *"), allow("npm test")] })
        expect(added).toEqual({ path: user, digest: digestOf(readFileSync(user)), changed: true })
        expect(yield* files.addRules("user", workspace, [{ command: "npm test", effect: "allow" }])).toEqual({ ...added, changed: false })
        expect(statSync(user).mode & 0o777).toBe(0o600)
        expect(readdirSync(dirname(user))).toEqual(["policy.json"])
      })))

  it.effect("adds several at once, or none of them", () =>
    withFiles((files, { user, workspace }) =>
      Effect.gen(function*() {
        yield* files.addRules("user", workspace, [allow("make *")])
        yield* files.addRules("user", workspace, [allow("npm test"), allow("make *"), allow("ls")])
        const rules = { rules: [allow("make *"), allow("npm test"), allow("ls")] }
        expect(JSON.parse(readFileSync(user, "utf8"))).toEqual(rules)
        expect(yield* tagOf(files.addRules("user", workspace, [allow("pwd"), allow("a; b")]))).toBe("PolicyInvalid")
        expect(JSON.parse(readFileSync(user, "utf8"))).toEqual(rules)
      })))

  it.effect("at the same time loses none", () =>
    withFiles((files, { user, workspace }) =>
      Effect.gen(function*() {
        const rules = Array.from({ length: 12 }, (_, index) => allow(`make ${index}`))
        yield* Effect.forEach(rules, (rule) => files.addRules("user", workspace, [rule]), { concurrency: "unbounded" })
        const { rules: written } = JSON.parse(readFileSync(user, "utf8")) as { readonly rules: ReadonlyArray<object> }
        expect(written).toHaveLength(12)
        expect(written).toEqual(expect.arrayContaining(rules))
      })))

  it.effect("to a Workspace's file confirms what was written", () =>
    withFiles((files, { own, workspace }) =>
      Effect.gen(function*() {
        yield* files.addRules("workspace", workspace, [allow("make *")])
        expect(yield* files.load(workspace)).toMatchObject({ confirmed: true, workspaceFile: { rules: [allow("make *")] } })
        yield* files.addRules("workspace", workspace, [allow("npm test")])
        expect((yield* files.load(workspace)).confirmed).toBe(true)
        expect(statSync(own).mode & 0o777).toBe(0o600)
      })))

  it.effect("confirms no rule that nobody saw, follows no link of a Workspace, and leaves a file it refuses as it was", () =>
    withFiles((files, { folder, own, user, workspace }) =>
      Effect.gen(function*() {
        const foreign = rulesText(allow("rm *"))
        write(own, foreign)
        expect(yield* tagOf(files.addRules("workspace", workspace, [allow("make *")]))).toBe("PolicyUnconfirmed")
        expect(readFileSync(own, "utf8")).toBe(foreign)
        rmSync(own)
        symlinkSync(join(folder, "elsewhere.json"), own)
        expect(yield* tagOf(files.addRules("workspace", workspace, [allow("make *")]))).toBe("PolicyIsLink")
        rmSync(dirname(own), { recursive: true })
        mkdirSync(join(folder, "elsewhere"))
        symlinkSync(join(folder, "elsewhere"), dirname(own))
        expect(yield* tagOf(files.addRules("workspace", workspace, [allow("make *")]))).toBe("PolicyIsLink")
        expect(readdirSync(join(folder, "elsewhere"))).toEqual([])
        write(user, "{\"rules\": [{}]}")
        expect(yield* tagOf(files.addRules("user", workspace, [allow("make *")]))).toBe("PolicyInvalid")
        expect(readFileSync(user, "utf8")).toBe("{\"rules\": [{}]}")
        rmSync(user)
        expect(yield* tagOf(files.addRules("user", workspace, [allow("a; b")]))).toBe("PolicyInvalid")
        expect(existsSync(user)).toBe(false)
      })))

  it.effect("replaces what a person's own link leads to, and the link stays", () =>
    withFiles((files, { folder, user, workspace }) =>
      Effect.gen(function*() {
        const kept = write(join(folder, "dotfiles", "policy.json"), rulesText())
        mkdirSync(dirname(user), { recursive: true })
        symlinkSync(kept, user)
        yield* files.addRules("user", workspace, [allow("make *")])
        expect([lstatSync(user).isSymbolicLink(), readlinkSync(user)]).toEqual([true, kept])
        expect(JSON.parse(readFileSync(kept, "utf8"))).toEqual({ rules: [allow("make *")] })
      })))

  it.effect("that cannot be written fails by name and leaves no temporary file", () =>
    withFiles((files, { home, workspace }) =>
      Effect.gen(function*() {
        mkdirSync(home)
        writeFileSync(join(home, "config"), "")
        const failure = yield* Effect.flip(files.addRules("user", workspace, [allow("make *")]))
        expect([failure.reason._tag, failure.isRetryable, readdirSync(home)]).toEqual(["PolicyStorageFailed", true, ["config"]])
      })))
})
