/** A Problem on the error channel of the Port. */
import { Problem } from "@steno/contracts"
import { Schema } from "effect"

export class PortProblem extends Schema.TaggedError<PortProblem>()("PortProblem", { problem: Problem }) {
  override get message() {
    return `${this.problem.code}: ${this.problem.explanation}`
  }
}
