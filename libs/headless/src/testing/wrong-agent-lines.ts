/** Wrong command lines about agents: how one is started, answered and gone on with. */
import type { WrongLine } from "./wrong-lines.ts"

export const wrongAgentLines: ReadonlyArray<WrongLine> = [
  [
    ["run", "start", "--approvals", "maybe", "x"],
    `"maybe" is not valid for --approvals: expected one of deny, allow, ask.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--approvals", "", "x"],
    "Option --approvals needs a value.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--agent-calls", "on", "x"],
    `"on" is not valid for --agent-calls: expected one of off, accept, review.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--harness", "hosted", "--model", " ", "x"],
    `" " is not valid for --model: expected a value.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--harness", "hosted", "--effort", "", "x"],
    "Option --effort needs a value.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--harness", "command", "--effort", "low", "--approvals", "ask", "--agent-calls", "off", "x"],
    "The harness command runs INPUT as it is, without a model: --effort and --approvals and --agent-calls would mean nothing.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--interactive=maybe", "x"],
    `"maybe" is not valid for --interactive: expected no value.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "answer", "@last"],
    "Say the answer with one of --allow, --deny, --option, --text, --answer, --answer-text, --dismiss, --continue, --stop.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--deny"],
    "--allow and --deny exclude each other.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--option", "a", "--text", "b", "--dismiss"],
    "--option and --text and --dismiss exclude each other.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--option", "a", "--answer", "q=a"],
    "--option and --answer exclude each other.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--continue", "--stop"],
    "--continue and --stop exclude each other.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--dismiss", "--reason", "no"],
    "--reason goes with --allow or --deny.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--deny", "--always", "session"],
    "--always goes with --allow.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--always", "ever"],
    `"ever" is not valid for --always: expected one of session, workspace, user.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--rule", "1"],
    "--rule says what --always keeps and needs it.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--always", "user", "--rule", "0"],
    "--rule is the number of a suggested rule, from 1.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--always", "user", "--rule", "x"],
    `"x" is not valid for --rule: expected a whole number.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--answer", "a"],
    `"a" is not valid for --answer: expected QUESTION=OPTION.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--answer", "=a"],
    `"=a" is not valid for --answer: expected QUESTION=OPTION.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--answer-text", "a="],
    `"a=" is not valid for --answer-text: expected QUESTION=TEXT.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--answer-text", "a=x", "--answer-text", "a=y"],
    `--answer-text was given more than once for "a".`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--text", ""],
    "Option --text needs a value.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last/main", "--allow"],
    `"@last/main" names a Session, but a whole Run is meant here.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--call", ""],
    "Option --call needs a value.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "--allow"],
    "Argument RUN is required.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "send", "@last"],
    "Argument TEXT is required.",
    `See "steno run send --help".`
  ],
  [
    ["run", "send"],
    "Argument RUN[/SESSION] is required.",
    `See "steno run send --help".`
  ],
  [
    ["run", "send", "a/b/c", "--", "x"],
    `"a/b/c" is not RUN or RUN/SESSION.`,
    `See "steno run send --help".`
  ],
  [
    ["run", "send", "@last", "--operation-id", "two words", "--", "x"],
    "--operation-id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -.",
    `See "steno run send --help".`
  ],
  [
    ["run", "steer", "@last"],
    "Argument TEXT is required.",
    `See "steno run steer --help".`
  ],
  [
    ["run", "steer", "", "--", "x"],
    "RUN must not be blank.",
    `See "steno run steer --help".`
  ],
  [
    ["run", "resume"],
    "Argument RUN is required.",
    `See "steno run resume --help".`
  ],
  [
    ["run", "resume", "@last/main"],
    `"@last/main" names a Session, but a whole Run is meant here.`,
    `See "steno run resume --help".`
  ],
  [
    ["run", "interrupt"],
    "Argument RUN[/SESSION] is required.",
    `See "steno run interrupt --help".`
  ],
  [
    ["run", "interrupt", "@last/"],
    `"@last/" is not RUN or RUN/SESSION.`,
    `See "steno run interrupt --help".`
  ],
  [
    ["run", "end", "@last", "--failed=maybe"],
    `"maybe" is not valid for --failed: expected no value.`,
    `See "steno run end --help".`
  ],
  [
    ["run", "end", "a", "b"],
    `Unexpected argument "b".`,
    `See "steno run end --help".`
  ],
  [
    ["run", "send", "@last", "--nope", "x"],
    "Unknown option --nope.",
    `Put "--" before TEXT if the option belongs to it. See "steno run send --help".`
  ],
  [["harness"], `"steno harness" needs a command.`, `See "steno harness --help".`],
  [["harness", "check"], "Argument ID is required.", `See "steno harness check --help".`],
  [["harness", "check", " "], "ID must not be blank.", `See "steno harness check --help".`],
  [["harness", "list", "x"], `Unexpected argument "x".`, `See "steno harness list --help".`]
]
