/**
 * The options of a native session that Steno knows: its model and how much it thinks.
 *
 * Owns: reading them, which option a choice means.
 */
import type { ModelChoice } from "@steno/harness-seam"
import { type JsonRecord, recordsOf, textOf, wordsOf } from "./lenient-value.ts"

interface SessionOption {
  readonly id: string
  readonly current: string | undefined
  readonly values: ReadonlyArray<string>
}

export interface SessionOptions {
  readonly model: SessionOption | undefined
  readonly effort: SessionOption | undefined
}

export const noOptions: SessionOptions = { model: undefined, effort: undefined }

const optionOf = (option: JsonRecord | undefined): SessionOption | undefined => {
  const id = wordsOf(option?.id)
  if (option === undefined || id === undefined) return undefined
  const values = recordsOf(option.options).flatMap((entry) =>
    [entry, ...recordsOf(entry.options)].flatMap(({ value }) => textOf(value) ?? [])
  )
  return { id, current: wordsOf(option.currentValue), values }
}

/** `configOptions` of an answer or an update. */
export const readOptions = (configOptions: unknown): SessionOptions => {
  const options = recordsOf(configOptions).filter(({ type }) => type === "select")
  const ofCategory = (category: string) => optionOf(options.find((option) => option.category === category))
  return { model: ofCategory("model"), effort: ofCategory("thought_level") }
}

export const choiceOf = ({ effort, model }: SessionOptions): ModelChoice | undefined =>
  model?.current === undefined
    ? undefined
    : { model: model.current, ...(effort?.current === undefined ? {} : { effort: effort.current }) }

export interface OptionChange {
  readonly configId: string
  readonly value: string
}

/** What has to be set for `choice`, the model first; undefined where it is not offered. */
export const changesFor = ({ effort, model }: SessionOptions, choice: ModelChoice): ReadonlyArray<OptionChange> | undefined => {
  const changes: Array<OptionChange> = []
  for (const [option, value] of [[model, choice.model], [effort, choice.effort]] as const) {
    if (value === undefined) continue
    if (option === undefined || !option.values.includes(value)) return undefined
    if (option.current !== value) changes.push({ configId: option.id, value })
  }
  return changes
}
