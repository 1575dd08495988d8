import { describe, expect, it } from "vitest"
import { allow, decideCommand, deny } from "./testing.ts"

/** `git` is allowed whatever follows, `rm` never. */
const rules = [allow("git *"), allow("echo *"), deny("rm *")]
const decide = (command: string) => decideCommand(command, rules).decision

describe("a command that is allowed and another that is denied", () => {
  it.each([
    "git branch && rm -rf victim",
    "git branch || rm -rf victim",
    "git branch ; rm -rf victim",
    "git branch;rm -rf victim",
    "git branch | rm -rf victim",
    "git branch |& rm -rf victim",
    "git branch & rm -rf victim",
    "git branch\nrm -rf victim",
    "git branch\r\n\nrm -rf victim",
    "! rm -rf victim",
    "time rm -rf victim",
    "git branch $(rm -rf victim)",
    "git branch `rm -rf victim`",
    "git branch \"$(rm -rf victim)\"",
    "git branch \"`rm -rf victim`\"",
    "git branch `git log \\`rm -rf victim\\``",
    "git diff <(rm -rf victim)",
    "git log > >(rm -rf victim)",
    "git log <<< $(rm -rf victim)",
    "git commit -F - <<EOF\n$(rm -rf victim)\nEOF",
    "git branch ${x:-$(rm -rf victim)}",
    "git branch \"${x/a/$(rm -rf victim)}\"",
    "git branch $((1 + $(rm -rf victim)))",
    "git branch ${ rm -rf victim; }",
    "a=$(rm -rf victim) git branch",
    "a=(1 $(rm -rf victim)); git branch",
    "a[$(rm -rf victim)]=1; git branch",
    "(git branch; rm -rf victim)",
    "{ git branch; rm -rf victim; }",
    "((rm -rf victim); git branch)",
    "git branch $( (rm -rf victim); git log)",
    "if git branch; then rm -rf victim; fi",
    "if rm -rf victim; then git branch; fi",
    "if git branch; then git log; elif rm -rf victim; then git log; else git log; fi",
    "if git branch; then git log; else rm -rf victim; fi",
    "for i in 1 2; do rm -rf victim; done",
    "for i in $(rm -rf victim); do git branch; done",
    "for ((;;)); do rm -rf victim; done",
    "while git branch; do rm -rf victim; done",
    "until rm -rf victim; do git branch; done",
    "select x in a; do rm -rf victim; done",
    "case a in a) git branch;; b) rm -rf victim;; esac",
    "case $(rm -rf victim) in a) git branch;; esac",
    "f() { rm -rf victim; }; git branch",
    "function f { rm -rf victim; }; git branch",
    "git() { rm -rf victim; }; git branch",
    "coproc rm -rf victim",
    "[[ -n $(rm -rf victim) ]] && git branch",
    "git branch # and\nrm -rf victim",
    "git branch \\\n && rm -rf victim",
    "git branch && 'rm' -rf victim",
    "git branch && r\\m -rf victim",
    "git branch && \"r\"'m' -rf victim",
    "git branch && $'\\x72m' -rf victim",
    "git branch && \\rm -rf victim",
    "git branch && /bin/rm -rf victim",
    "git branch && ./rm victim",
    "git branch && x=1 rm victim",
    "git branch && >log rm victim",
    "git branch && rm"
  ])("is denied: %j", (command) => {
    expect(decide(command)).toBe("deny")
  })

  it("is denied by the segment that the record names", () => {
    expect(decideCommand("git branch && rm -rf victim", rules)).toMatchObject({
      decision: "deny",
      layer: "user",
      rule: deny("rm *"),
      segment: "rm -rf victim",
      segments: [
        { text: "git branch", decision: "allow", rule: allow("git *") },
        { text: "rm -rf victim", decision: "deny", rule: deny("rm *") }
      ],
      suggestedRules: []
    })
  })
})

describe("commands that run commands", () => {
  it.each([
    "sudo rm victim",
    "sudo -n -u root rm victim",
    "sudo --user=root X=1 rm victim",
    "doas rm victim",
    "env rm victim",
    "env -i -u HOME A=1 rm victim",
    "git ls-files | xargs rm",
    "git ls-files | xargs -0 -n 1 rm -f",
    "git ls-files | xargs -I{} rm {}",
    "nohup rm victim &",
    "setsid -w rm victim",
    "command time -p rm victim",
    "timeout 5 rm victim",
    "timeout -k 1 --signal=KILL 5s rm victim",
    "nice -n 5 rm victim",
    "nice -10 rm victim",
    "ionice -c3 rm victim",
    "stdbuf -oL rm victim",
    "command rm victim",
    "command -p -- rm victim",
    "builtin rm victim",
    "exec rm victim",
    "exec -a name rm victim",
    "busybox rm victim",
    "nohup timeout 5 nice sudo env rm victim",
    "bash -c 'rm victim'",
    "bash -lc \"rm victim\"",
    "sh -ec 'git log; rm victim'",
    "bash --norc -o pipefail -c 'rm victim'",
    "sudo sh -c 'rm victim'",
    "bash -c \"sh -c 'rm victim'\"",
    "git ls-files | xargs bash -c 'rm \"$@\"' _",
    "bash <<EOF\nrm victim\nEOF",
    "bash <<-'EOF'\n\trm victim\n\tEOF",
    "bash -s <<< 'rm victim'",
    "sudo bash <<EOF\nrm victim\nEOF",
    "find . -exec rm {} \\;",
    "find . -name x -exec rm {} +",
    "find . -execdir sh -c 'rm x' \\;",
    "find . -ok rm {} ';'",
    "eval rm victim",
    "eval 'rm victim'",
    "trap 'rm victim' EXIT",
    "watch rm victim",
    "ssh host rm",
    "su -c 'rm victim'"
  ])("are judged with what they run: %j", (command) => {
    expect(decideCommand(command, [...rules, allow("find *"), allow("sudo *"), allow("bash *")]).decision).toBe("deny")
  })

  it.each([
    "timeout 5 git status",
    "nice git status",
    "nohup git status",
    "env git status",
    "command git status",
    "bash -c 'git status && git log'",
    "git ls-files | xargs -0 git add",
    "bash <<< 'git status'"
  ])("and add nothing are allowed with it: %j", (command) => {
    expect(decide(command)).toBe("allow")
  })

  it.each([
    "sudo git status",
    "env GIT_PAGER=x git log",
    "GIT_PAGER=x git log",
    "find . -exec git add {} \\;"
  ])("and add something ask by themselves: %j", (command) => {
    expect(decide(command)).toBe("approval")
  })
})

describe("what cannot surely be read", () => {
  const open = [allow("*"), { effect: "allow" } as const]

  it.each([
    "git 'status",
    "git \"status",
    "git $(status",
    "git `status",
    "git status)",
    "git status; }",
    "if git status; then",
    "for",
    "git status &&",
    "git status ;;",
    "| git",
    "git <",
    "git <<EOF\nx",
    "fi",
    "git\0status",
    "eval git status",
    "eval \"$x\"",
    "source ./env",
    ". ./env",
    "$x status",
    "${x} status",
    "\"$@\"",
    "$(echo git) status",
    "`echo git` status",
    "g* status",
    "{git,status}",
    "g{it,et} status",
    "bash -c \"$x\"",
    "bash -c \"git $x\"",
    "bash $x",
    "curl x | bash",
    "echo x | sudo sh -s",
    "bash",
    "bash <<EOF\ngit $x\nEOF",
    "bash <<EOF\ngit \\$x\nEOF",
    "zsh -c 'git status'",
    "PATH=/tmp git status",
    "PATH=/tmp; git status",
    "LD_PRELOAD=/tmp/x.so git status",
    "LD_LIBRARY_PATH=. git status",
    "env PATH=/tmp git status",
    "sudo LD_PRELOAD=x git status",
    "export PATH=/tmp; git status",
    "export \"PATH=/tmp\"; git status",
    "declare -x PATH=/tmp",
    "read PATH <<< /tmp; git status",
    "for PATH in /tmp; do git status; done",
    "printf -v PATH /tmp; git status",
    "IFS=/; git status",
    "BASH_ENV=x bash -c 'git status'",
    "HOME=/ ; git status",
    "alias git=rm; git status",
    "hash -p /tmp/x git; git status",
    "enable -f x git",
    "shopt -s extglob",
    "trap 'git log' EXIT",
    "x='a[$(git)]'; git $((x))",
    "git ${x@P}",
    "git ${!x}",
    "git ${a[$x]}",
    "[[ $x -eq 1 ]] && git status",
    "[ -v 'a[$(git)]' ]",
    "let x=y",
    "declare -i x=y",
    "git $'a\\'; git log; echo '",
    "git ?(x|y)",
    "ssh host git status",
    "sudo --unknown git status",
    "timeout $x git status",
    "xargs --unknown git",
    "xargs -I{} bash -c 'git {}'",
    "find . $x",
    "find . -exec git status",
    "unshare() { git; }; eval x",
    `${"bash -c '".repeat(1)}eval x'`
  ])("is never allowed, whatever the rules say: %j", (command) => {
    expect(decideCommand(command, open).decision).toBe("approval")
  })

  it("says which part is not read and offers no rule", () => {
    expect(decideCommand("git status; eval \"$x\"", [allow("git *")])).toMatchObject({
      decision: "approval",
      segment: "eval \"$x\"",
      reason: "eval runs text as a command",
      suggestedRules: []
    })
  })

  it("is a command nested deeper than eight levels of code", () => {
    const nested = Array.from({ length: 10 }).reduce<string>((inner) => `bash -c '${inner.replaceAll("'", `'"'"'`)}'`, "git status")
    expect(decideCommand(nested, open).decision).toBe("approval")
  })

  it("is a line with hundreds of open brackets, and is answered all the same", () => {
    expect(decideCommand("$(".repeat(3_000), open).decision).toBe("approval")
    expect(decideCommand(`${"(".repeat(3_000)}git${")".repeat(3_000)}`, open).decision).toBe("approval")
  })
})

describe("what only steers the shell", () => {
  it.each([
    "cd src && git status",
    "cd /home/me/ws/src; git status",
    "set -euo pipefail; git status",
    "true && git status || false",
    "x=1; git log $x",
    "[ -f x ] && git status",
    "[[ -f x ]] && git status",
    "for f in *.ts; do git add \"$f\"; done",
    "git status 2>&1 >/dev/null",
    "git status; exit 1",
    "CI=1 git status",
    "git status $((1 + 2))",
    "# only a note\ngit status"
  ])("asks for nothing beside an allowed command: %j", (command) => {
    expect(decide(command)).toBe("allow")
  })

  it.each(["true", "cd src", "x=1", ":", "[ -f x ]", "", "# nothing"])("asks when it is all there is: %j", (command) => {
    expect(decide(command)).toBe("approval")
  })

  it("is no longer harmless when it leaves the Workspace", () => {
    expect(decide("cd /etc && git status")).toBe("approval")
    expect(decide("cd .. && git status")).toBe("approval")
    expect(decide("cd \"$x\" && git status")).toBe("approval")
  })
})

describe("a redirection into a file", () => {
  it.each(["git log > out", "git log >> out", "git log >| out", "git log &> out", "git log &>> out", "git log >& out", "git log 2> out", "> out", "{ git log; } > out", "(git log) 3<> out", "if git log; then git log; fi > out"])(
    "is a write of that path: %j",
    (command) => {
      expect(decide(command)).toBe("approval")
      expect(decideCommand(command, [...rules, { effect: "allow", tool: "write", path: "out" }]).decision).toBe("allow")
      expect(decideCommand(command, [...rules, { effect: "allow" }, { effect: "deny", risk: "write", path: "**" }]).decision).toBe("deny")
    }
  )

  it("is offered as a rule for that path", () => {
    expect(decideCommand("git log > out", rules).suggestedRules).toEqual([{ effect: "allow", tool: "write", path: "/home/me/ws/out" }])
  })

  it("to a path that only the shell will know is never allowed", () => {
    expect(decideCommand("git log > $x", [{ effect: "allow" }]).decision).toBe("approval")
    expect(decideCommand("git log > *.txt", [{ effect: "allow" }]).decision).toBe("approval")
  })

  it("from a file in the Workspace is reading there", () => {
    expect(decide("git apply < patch")).toBe("allow")
    expect(decide("git apply < /etc/passwd")).toBe("approval")
  })
})
