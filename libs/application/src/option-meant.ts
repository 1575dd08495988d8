/** Which option of a question a person means; pure. */

/** The id that is meant: an id goes before a label, and a label counts where one option alone has it. */
export const optionMeant = (options: ReadonlyArray<{ readonly id: string; readonly label: string }>, typed: string): string => {
  const [labelled, ...others] = options.filter(({ label }) => label === typed)
  const isId = options.some(({ id }) => id === typed)
  return isId || labelled === undefined || others.length > 0 ? typed : labelled.id
}
