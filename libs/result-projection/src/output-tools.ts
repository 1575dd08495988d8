/** Tools whose result is the output of a process; a file is shown as such a tool would have shown it. */
export const outputTools = ["bash"] as const
