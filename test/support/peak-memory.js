import { readFileSync } from "node:fs";

/**
 * The most memory that this process has had, in KiB. What `resourceUsage` says counts the memory of the parent, too, where the
 * parent was copied to make the process. The kernel's own mark does not.
 * @returns {number}
 */
export function peakMemory() {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? Number.NaN);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
