/** Watches how long the event loop is blocked. */

/** Starts watching; `stop` answers with the longest gap between two turns of the loop, in milliseconds. */
export const watchLoop = () => {
  let last = performance.now()
  let longest = 0
  let running = true
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    stop: (): number => {
      running = false
      return longest
    }
  }
}
