import { readFileSync } from "node:fs";

/**
 * Returns the peak memory of this process in KiB, from the kernel's high-water mark. The figure of `resourceUsage` would include the
 * memory of the parent if the process was forked from it.
 * @returns {number}
 */
export function peakMemory() {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? Number.NaN);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
