import { describe, expect, it } from "vitest"
import type { CallToJudge } from "./call-units.ts"
import { decideCommand, decideOn, decideTyped, type TestFacts } from "./testing.ts"

const everything = [{ effect: "allow" } as const]
const decide = (command: string, facts: TestFacts = {}) => decideCommand(command, everything, facts)

describe("recursive removal of a protected folder", () => {
  it.each([
    "rm -rf /",
    "rm -r /",
    "rm -fR /",
    "rm -f -r -v /",
    "rm --recursive --force /",
    "rm --rec /",
    "rm / -rf",
    "rm -rf -- /",
    "rm -rf --no-preserve-root /",
    "rm -rf //",
    "rm -rf /.",
    "rm -rf /etc/..",
    "rm -rf /*",
    "rm -rf /home",
    "rm -rf /h*",
    "rm -rf /[h]ome",
    "rm -rf /home/*",
    "rm -rf ~",
    "rm -rf ~/",
    "rm -rf ~/*",
    "rm -rf \"$HOME\"",
    "rm -rf $HOME/*",
    "rm -rf ${HOME}",
    "rm -rf /home/me",
    "rm -rf .",
    "rm -rf ./",
    "rm -rf *",
    "rm -rf ./*",
    "rm -rf $PWD",
    "rm -rf ..",
    "rm -rf src/..",
    "rm -rf ../ws",
    "rm -rf ../w?",
    "rm -rf build ..",
    "rm -rf ~/.local",
    "rm -rf ~/.local/share/steno",
    "rm -rf ~/.local/share/steno/data",
    "\\rm -rf ~",
    "/bin/rm -rf ~",
    "sudo rm -rf /",
    "env rm -rf ~",
    "bash -c 'rm -rf ~'",
    "cd / && rm -rf home",
    "cd ~ && rm -rf *",
    "cd src; rm -rf ../",
    "cd src && cd .. && rm -rf *",
    "for i in 1 2; do cd /; rm -rf *; done",
    "rimraf .",
    "find . -delete",
    "find -delete",
    "find / -type f -delete",
    "find ~ -mindepth 1 -delete",
    "find . -exec rm -rf {} +",
    "find . ! -name keep -delete",
    "find . -name '*' -delete",
    "find . -name a -o -delete",
    "git status && rm -rf ~"
  ])("is denied although a rule allows everything: %j", (command) => {
    expect(decide(command)).toMatchObject({ decision: "deny", layer: "guardrails" })
    expect(decideTyped(command, everything).decision).toBe("deny")
  })

  it.each([
    "rm -rf build",
    "rm -rf ./build/*",
    "rm -rf src/../build",
    "rm -rf /home/me/other",
    "rm -rf /tmp/x",
    "rm -rf '*'",
    "rm -rf \\~",
    "rm -f *",
    "rm x",
    "rmdir .",
    "find . -name '*.o' -delete",
    "find build -delete",
    "cd build && rm -rf cache",
    "echo rm -rf /"
  ])("is not what this does: %j", (command) => {
    expect(decide(command).decision).toBe("allow")
  })

  it.each([
    "rm -rf \"$x\"",
    "rm -rf $(git rev-parse --show-toplevel)",
    "rm $x",
    "rm \"$a\" \"$b\"",
    "git ls-files | xargs rm -rf",
    "rm -rf {a,/}",
    "rm -rf ~other",
    "cd \"$x\" && rm -rf build",
    "for i in 1 2; do rm -rf build; cd ..; done",
    "find $x -delete"
  ])("is never allowed when it may be that: %j", (command) => {
    expect(decide(command).decision).toBe("approval")
  })

  it("is seen through a link, and a folder that is protected by its name stays so where it leads elsewhere", () => {
    const facts = { links: { "/home/me/ws/out": "/home/me" } }
    expect(decide("rm -rf out/", facts).decision).toBe("deny")
    expect(decide("rm -rf out/*", facts).decision).toBe("deny")
    expect(decide("rm -rf .", { links: { "/home/me/ws": "/elsewhere" } }).decision).toBe("deny")
  })
})

describe("a write to a block device", () => {
  const facts = { devices: ["/odd/disk"], links: { "/home/me/ws/d": "/dev/sda" } }

  it.each([
    "dd if=x of=/dev/sda",
    "dd of=/dev/nvme0n1 if=/dev/zero",
    "cat x > /dev/sda",
    "cat x >> /dev/sda1",
    "echo x > /odd/disk",
    "cat x | tee /dev/vda",
    "cp x /dev/mmcblk0",
    "cp x d",
    "shred /dev/sdb",
    "mkfs.ext4 /dev/sdb1",
    "mkfs -t ext4 /dev/sdb1",
    "wipefs -a /dev/sdb",
    "sudo dd if=x of=/dev/sda"
  ])("is denied: %j", (command) => {
    expect(decide(command, facts)).toMatchObject({ decision: "deny", layer: "guardrails" })
    expect(decideTyped(command, everything, facts).decision).toBe("deny")
  })

  it("may be what an unknown program does with one", () => {
    expect(decide("program /dev/sda").decision).toBe("approval")
    expect(decideTyped("program /dev/sda").decision).toBe("allow")
  })

  it.each(["dd if=/dev/sda of=x", "cat /dev/sda", "echo x > /dev/null", "dd if=/dev/zero of=x"])("is not what this does: %j", (command) => {
    expect(decide(command).decision).toBe("allow")
  })
})

describe("the home", () => {
  const home = "/home/me/.local/share/steno"

  it.each([
    `echo x > ${home}/config/policy.json`,
    "echo x >> ~/.local/share/steno/config/policy.json",
    `cp x ${home}/core.sqlite`,
    `mv ${home}/core.sqlite x`,
    `touch ${home}/x`,
    `sed -i s/a/b/ ${home}/config/steno.json`,
    `cat ${home}/secrets/daemon-token`,
    `cat ${home}/*/daemon-token`,
    `cat ${home}/data/../secrets/daemon-token`,
    `program --file=${home}/secrets/daemon-token`,
    `cd ${home} && cat secrets/daemon-token`,
    `cat < ${home}/secrets/daemon-token`
  ])("is neither written nor are its secrets read: %j", (command) => {
    expect(decide(command)).toMatchObject({ decision: "deny", layer: "guardrails" })
  })

  it("is not written through a link", () => {
    expect(decide("echo x > in/policy.json", { links: { "/home/me/ws/in": `${home}/config` } }).decision).toBe("deny")
  })

  it("may be written by a program that is given a path in it", () => {
    expect(decide(`sqlite3 ${home}/core.sqlite`).decision).toBe("approval")
  })

  it("is read only as far as rules say, but the Session's own call files are", () => {
    const own = `${home}/data/conversations/conv_1/tool-calls/call_1/stdout.txt`
    const read = (path: string): CallToJudge => ({ tool: "read", risk: "read", arguments: { path }, origin: "model" })
    expect(decideOn(read(own)).decision).toBe("allow")
    expect(decideOn(read(`${home}/data/conversations/conv_2/tool-calls/call_1/stdout.txt`)).decision).toBe("approval")
    expect(decideOn(read(`${home}/secrets/daemon-token`), { user: everything }).decision).toBe("deny")
    expect(decideOn({ tool: "write", risk: "write", arguments: { path: own, content: "" }, origin: "client" }, { user: everything }).decision).toBe("deny")
  })
})
