/** Command lines that are wrong, each with what is said about it. */

export type WrongLine = readonly [args: ReadonlyArray<string>, explanation: string, remediation: string]

export const wrongLines: ReadonlyArray<WrongLine> = [
  [[], `"steno" needs a command.`, `See "steno --help".`],
  [["run"], `"steno run" needs a command.`, `See "steno run --help".`],
  [["rnu"], `Unknown command "rnu".`, `Did you mean run? See "steno --help".`],
  [["run", "strat"], `Unknown command "strat".`, `Did you mean start? See "steno run --help".`],
  [["run", "\u001b[31mx"], `Unknown command "\\x1b[31mx".`, `See "steno run --help".`],
  [["--", "run", "list"], `Unexpected arguments "run", "list".`, `See "steno --help".`],
  [["run", "start"], "Argument INPUT is required.", `See "steno run start --help".`],
  [["run", "start", "--"], "Argument INPUT is required.", `See "steno run start --help".`],
  [
    ["run", "start", "ls", "-la"],
    "Unknown option -l. Unknown option -a.",
    `Put "--" before INPUT if the option belongs to it. See "steno run start --help".`
  ],
  [
    ["run", "start", "--sesion", "x", "y"],
    "Unknown option --sesion.",
    `Did you mean --session? Put "--" before INPUT if the option belongs to it. See "steno run start --help".`
  ],
  [["run", "start", "--session"], "Option --session needs a value.", `See "steno run start --help".`],
  [["run", "start", "--timeout-ms", "", "x"], "Option --timeout-ms needs a value.", `See "steno run start --help".`],
  [
    ["run", "start", "--timeout-ms", "soon", "x"],
    `"soon" is not valid for --timeout-ms: expected a whole number.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--timeout-ms", "1.5", "x"],
    `"1.5" is not valid for --timeout-ms: expected a whole number.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--timeout-ms", "99999999999999999999", "x"],
    `"99999999999999999999" is not valid for --timeout-ms: expected a whole number.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--harness", "command", "--harness", "command", "x"],
    "Option --harness was given more than once.",
    `See "steno run start --help".`
  ],
  [["run", "start", "--entry", "--entry", "x"], "Option --entry was given more than once.", `See "steno run start --help".`],
  [
    ["run", "start", "--entry=maybe", "x"],
    `"maybe" is not valid for --entry: expected no value.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--operation-id", "two words", "x"],
    "--operation-id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--session", "a/b", "x"],
    `--session must not be blank and must not contain "/" or control characters.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--session", "x".repeat(65), "x"],
    "--session must have at most 64 characters.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--json=maybe", "x"],
    `"maybe" is not valid for --json: expected no value.`,
    `See "steno run start --help".`
  ],
  [["run", "start", "--harness", "", "x"], "Option --harness needs a value.", `See "steno run start --help".`],
  [["run", "start", "--workspace=", "x"], "Option --workspace needs a value.", `See "steno run start --help".`],
  [
    ["run", "start", "--workspace", " ", "x"],
    `" " is not valid for --workspace: expected a value.`,
    `See "steno run start --help".`
  ],
  [[""], `Unknown command "".`, `See "steno --help".`],
  [["run", ""], `Unknown command "".`, `See "steno run --help".`],
  [["run", "show", ""], "RUN must not be blank.", `See "steno run show --help".`],
  [["run", "show", "--", " "], "RUN must not be blank.", `See "steno run show --help".`],
  [["run", "show", "--"], "Argument RUN is required.", `See "steno run show --help".`],
  [["run", "read", "", "--transcript"], "RUN must not be blank.", `See "steno run read --help".`],
  [["run", "read", "x", "--call", ""], "Option --call needs a value.", `See "steno run read --help".`],
  [["run", "read", "x", "--transcript", "--cursor="], "Option --cursor needs a value.", `See "steno run read --help".`],
  [["run", "cancel", ""], "RUN must not be blank.", `See "steno run cancel --help".`],
  [["run", "delete", " "], "RUN must not be blank.", `See "steno run delete --help".`],
  [["run", "export", ""], "RUN must not be blank.", `See "steno run export --help".`],
  [["run", "list", "--before", ""], "Option --before needs a value.", `See "steno run list --help".`],
  [
    ["run", "list", "--limit", "abc"],
    `"abc" is not valid for --limit: expected a whole number.`,
    `See "steno run list --help".`
  ],
  [
    ["run", "list", "--limit", "0x10"],
    `"0x10" is not valid for --limit: expected a whole number.`,
    `See "steno run list --help".`
  ],
  [["run", "list", "--limit", "5", "--limit", "6"], "Option --limit was given more than once.", `See "steno run list --help".`],
  [["run", "list", "--", "x"], `Unexpected argument "x".`, `See "steno run list --help".`],
  [["run", "list", "-a"], "Unknown option -a.", `Did you mean --all? See "steno run list --help".`],
  [["run", "show"], "Argument RUN is required.", `See "steno run show --help".`],
  [
    ["run", "show", "@last/main"],
    `"@last/main" names a Session, but a whole Run is meant here.`,
    `See "steno run show --help".`
  ],
  [["run", "show", "a", "b"], `Unexpected argument "b".`, `See "steno run show --help".`],
  [["run", "list", "x"], `Unexpected argument "x".`, `See "steno run list --help".`],
  [["run", "list", "--limit"], "Option --limit needs a value.", `See "steno run list --help".`],
  [["run", "read", "x"], "One of --call CALL and --transcript is required.", `See "steno run read --help".`],
  [["run", "read", "--call", "1"], "Argument RUN[/SESSION] is required.", `See "steno run read --help".`],
  [
    ["run", "read", "x", "--call", "1", "--stream", "both"],
    `"both" is not valid for --stream: expected one of output, stdout, stderr.`,
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--call", "1", "--raw", "--offset", "0", "--limit", "5"],
    "--raw writes the whole stream and cannot be combined with --offset and --limit.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--call", "1", "--explain", "--stream", "stdout", "--offset", "0", "--limit", "5", "--raw"],
    "--explain is about what a model sees of the whole call and cannot be combined with --stream and --offset and --limit and --raw.",
    `See "steno run read --help".`
  ],
  [["run", "read", "x", "--explain"], "One of --call CALL and --transcript is required.", `See "steno run read --help".`],
  [
    ["run", "read", "x", "--transcript", "--explain"],
    "--transcript cannot be combined with --explain.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--call", "1", "--transcript"],
    "--call and --transcript exclude each other.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--transcript", "--raw", "--stream", "stdout", "--limit", "3"],
    "--transcript cannot be combined with --stream and --limit and --raw.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--call", "1", "--cursor", "c"],
    "--cursor goes on with a transcript and needs --transcript.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x/main", "--call", "1"],
    `"x/main" names a Session, but a whole Run is meant here.`,
    `See "steno run read --help".`
  ],
  [["run", "read", "x/", "--transcript"], `"x/" is not RUN or RUN/SESSION.`, `See "steno run read --help".`],
  [
    ["run", "export", "x", "--format", "pdf"],
    `"pdf" is not valid for --format: expected one of md, json.`,
    `See "steno run export --help".`
  ],
  [
    ["run", "export", "x/main"],
    `"x/main" names a Session, but a whole Run is meant here.`,
    `See "steno run export --help".`
  ],
  [["run", "export", "x", "--output"], "Option --output needs a value.", `See "steno run export --help".`],
  [["run", "export", "x", "--output", ""], "--output must name a file.", `See "steno run export --help".`],
  [["run", "cancel"], "Argument RUN is required.", `See "steno run cancel --help".`],
  [
    ["run", "cancel", "@last/main"],
    `"@last/main" names a Session, but a whole Run is meant here.`,
    `See "steno run cancel --help".`
  ],
  [
    ["run", "delete", "@last", "--operation-id", "two words"],
    "--operation-id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -.",
    `See "steno run delete --help".`
  ]
]
