/** The door of this app to `effect/cli`, whose interface is unstable. */
export { Argument, Command, Completions, Flag } from "effect/cli"
