import { visibleCommand } from "@steno/contracts"
import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import { commandDigest } from "./command-digest.ts"

it("an approval is tied by digest to the bytes that run, not to how they are shown", () => {
  const command = "rm -r data #\u001b[1G é"
  expect(commandDigest(command)).toBe(`sha256:${createHash("sha256").update(Buffer.from(command)).digest("hex")}`)
  expect(commandDigest(visibleCommand(command))).not.toBe(commandDigest(command))
})
