/**
 * Lints a piece of text as if it stood in a file of this workspace, with the workspace's own configuration.
 *
 * Owns: the test harness of the rules.
 */
import { ESLint } from "eslint"
import { fileURLToPath } from "node:url"

export const workspaceRoot = fileURLToPath(new URL("../../..", import.meta.url))

export const eslint = new ESLint({ cwd: workspaceRoot })

/** Messages of the rules whose name starts with `family`, each as `rule: message`. */
export const linted = async (family: string, path: string, text: string): Promise<ReadonlyArray<string>> => {
  const [result] = await eslint.lintText(text, { filePath: `${workspaceRoot}${path}` })
  if (result === undefined) throw new Error(`${path} was not linted`)
  const fatal = result.messages.find((message) => message.fatal)
  if (fatal !== undefined) throw new Error(`${path}: ${fatal.message}\n${text}`)
  return result.messages.flatMap(({ ruleId, message }) => (ruleId?.startsWith(family) ? [`${ruleId}: ${message}`] : []))
}
