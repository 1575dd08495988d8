import { describe, expect, it } from "vitest"
import fc from "fast-check"
import type { PolicyRule } from "@steno/contracts"
import { allow, ask, decideCommand, decideOn, decideTyped, deny } from "./testing.ts"

const singleQuoted = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`
const inBackticks = (text: string) => `\`${text.replace(/[\\`$]/g, "\\$&")}\``

/** Ways to write the program's name. */
const spellings = fc.constantFrom("rm", "'rm'", "\"rm\"", "r\\m", "\\rm", "r''m", "\"r\"m", "$'rm'", "$'\\162m'", "/bin/rm", "./rm", "r\\\nm")
const operands = fc.constantFrom("", " x", " -rf x", " $y", " \"$(git log)\"", " > /dev/null", " 'a b'")
const denied = fc.tuple(fc.constantFrom("", "x=1 ", "! ", "2>&1 "), spellings, operands).map((parts) => parts.join(""))

/** Each puts a command somewhere else in a line that is allowed without it. */
const constructs: ReadonlyArray<(inner: string) => string> = [
  (inner) => inner,
  (inner) => `git a; ${inner}`,
  (inner) => `${inner}; git a`,
  (inner) => `git a && ${inner}`,
  (inner) => `git a || ${inner}`,
  (inner) => `git a | ${inner}`,
  (inner) => `git a |& ${inner}`,
  (inner) => `git a & ${inner}`,
  (inner) => `${inner} &`,
  (inner) => `git a\n${inner}\n`,
  (inner) => `(${inner})`,
  (inner) => `{ ${inner}\n}`,
  (inner) => `(git a; ${inner}) | git b`,
  (inner) => `git $(${inner})`,
  (inner) => `git "$(${inner})"`,
  (inner) => `git "a $(git b "$(${inner})")"`,
  (inner) => `git ${inBackticks(inner)}`,
  (inner) => `git "${"${x:-"}$(${inner})}"`,
  (inner) => `git <(${inner})`,
  (inner) => `git > >(${inner})`,
  (inner) => `git <<EOF\n$(${inner})\nEOF\n`,
  (inner) => `git <<< "$(${inner})"`,
  (inner) => `x=$(${inner}) git a`,
  (inner) => `x=(a $(${inner}))`,
  (inner) => `if git a; then ${inner}\nfi`,
  (inner) => `if ${inner}\nthen git a; else git b; fi`,
  (inner) => `while ${inner}\ndo git a; done`,
  (inner) => `for i in a; do ${inner}\ndone`,
  (inner) => `for i in $(${inner}); do git a; done`,
  (inner) => `case a in a) ${inner}\n;; esac`,
  (inner) => `f() { ${inner}\n}; f`,
  (inner) => `function f { ${inner}\n}; git a`,
  (inner) => `[[ -n $(${inner}) ]]`,
  (inner) => `time { ${inner}\n}`,
  (inner) => `bash -c ${singleQuoted(inner)}`,
  (inner) => `sudo sh -ec ${singleQuoted(inner)}`,
  (inner) => `env bash <<'EOF'\n${inner}\nEOF\n`,
  (inner) => `bash <<< ${singleQuoted(inner)}`,
  (inner) => `eval ${singleQuoted(inner)}`,
  (inner) => `find . -exec sh -c ${singleQuoted(inner)} \\;`,
  (inner) => `git a | xargs bash -c ${singleQuoted(inner)}`
]
const nested = fc.tuple(denied, fc.array(fc.constantFrom(...constructs), { maxLength: 4 }))
  .map(([command, around]) => around.reduce((inner, construct) => construct(inner), command))

const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.constantFrom(allow("*"), allow("git *"), allow("rm *"), ask("git *"), ask("rm x"), deny("git push *"), deny("make"), { effect: "allow" } as const),
  fc.record({ effect: fc.constantFrom("allow", "ask", "deny"), risk: fc.constantFrom("read", "write", "execute"), path: fc.constantFrom("**", "src/**", "/etc/*") }),
  fc.record({ effect: fc.constantFrom("allow", "ask"), tool: fc.constantFrom("bash", "read", "write") })
)
const rules = fc.array(rule, { maxLength: 5 })
const layers = fc.record({ session: rules, workspace: rules, user: rules })

const commands = fc.oneof(
  nested,
  fc.constantFrom("git a", "make", "rm -rf /", "rm -rf ~", "cat > /dev/sda", "git push x", "git $x", "cat src/x", "ls > src/a", "x=1", "git 'open"),
  fc.string({ unit: fc.constantFrom(..."rm git;&|(){}$`'\"\\<>=[]*!# \n\t~ab"), maxLength: 40 })
)
const asked = (command: string) => ({ tool: "bash", risk: "execute", arguments: { command }, origin: "model" }) as const

describe("whatever a line looks like", () => {
  it("a denied command, quoted and nested in any construct, is never allowed", () => {
    fc.assert(fc.property(nested, layers, (command, given) => {
      const decided = decideOn(asked(command), { ...given, user: [...given.user, deny("rm *")] })
      expect([command, decided.decision]).not.toEqual([command, "allow"])
    }), { numRuns: 1_500 })
  })

  it("a denied command in constructs that are surely read is denied, also when a person typed it", () => {
    fc.assert(fc.property(denied, fc.array(fc.constantFrom(...constructs), { maxLength: 3 }), (command, around) => {
      const line = around.reduce((inner, construct) => construct(inner), command)
      const decided = decideCommand(line, [{ effect: "allow" }, deny("rm *")])
      const isRead = decideCommand(line, [{ effect: "allow" }]).decision === "allow"
      if (isRead) expect([line, decided.decision, decideTyped(line, [deny("rm *")]).decision]).toEqual([line, "deny", "deny"])
    }), { numRuns: 800 })
  })

  it("no further rule of any layer turns a deny into something else", () => {
    fc.assert(fc.property(commands, layers, layers, (command, given, more) => {
      if (decideOn(asked(command), given).decision !== "deny") return
      const both = {
        session: [...more.session, ...given.session],
        workspace: [...given.workspace, ...more.workspace],
        user: [...more.user, ...given.user]
      }
      expect(decideOn(asked(command), both).decision).toBe("deny")
    }), { numRuns: 800 })
  })

  it("a guardrail holds under every set of rules", () => {
    fc.assert(fc.property(fc.constantFrom("rm -rf /", "rm -rf ~", "rm -rf .", "cat x > /dev/sda"), layers, (command, given) => {
      expect(decideOn(asked(command), given)).toMatchObject({ decision: "deny" })
    }))
  })

  it("a person's command is never asked about", () => {
    fc.assert(fc.property(commands, layers, (command, given) => {
      expect(decideOn({ ...asked(command), origin: "user" }, given).decision).not.toBe("approval")
    }))
  })

  it("the decision is the strictest of its segments, and what decided is named", () => {
    fc.assert(fc.property(commands, layers, (command, given) => {
      const { decision, segment, segments } = decideOn(asked(command), given)
      const decisions = segments.map((one) => one.decision)
      if (decisions.includes("deny")) expect(decision).toBe("deny")
      else if (decisions.includes("approval")) expect(decision).toBe("approval")
      if (decision === "allow") expect(segment).toBeUndefined()
      else if (segments.length > 0) expect(segment).toBeDefined()
    }))
  })
})

describe("a rule that is offered", () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom(..."ab*?'\"\\$`~#;&|<>(){}[]!= \té=-/"), maxLength: 6 }), { minLength: 1, maxLength: 4 })
    .map((all) => all.map(singleQuoted).join(" "))

  it("makes exactly that segment allowed", () => {
    fc.assert(fc.property(words, fc.constantFrom("npm test", "git log -1", "make x"), (command, other) => {
      const { suggestedRules } = decideCommand(command)
      const [exact] = suggestedRules
      if (exact === undefined) return
      expect([command, exact, decideCommand(command, [exact]).decision]).toEqual([command, exact, "allow"])
      expect(decideCommand(`${command}; ${other}`, [exact])).toMatchObject({ decision: "approval", segment: other })
      expect(decideCommand(`${command} more`, [exact]).decision).toBe("approval")
    }), { numRuns: 500 })
  })
})
