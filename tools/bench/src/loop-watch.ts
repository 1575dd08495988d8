/** Watches how long the event loop is blocked, as `perf_hooks.monitorEventLoopDelay` sees it: how late a timer of 1 ms comes. */
import { monitorEventLoopDelay } from "node:perf_hooks"

const resolutionMs = 1

/** Starts watching; `stop` answers with the longest delay in milliseconds. */
export const watchLoop = () => {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  return {
    stop: (): number => {
      delay.disable()
      return Math.max(0, delay.max / 1e6 - resolutionMs)
    }
  }
}
