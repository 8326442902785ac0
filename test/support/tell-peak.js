// Loaded into a measured program: says on its fourth stream how much memory it had at most, in KiB.
import { readFileSync, writeSync } from "node:fs";

process.on("exit", () => writeSync(3, peak()));

/** What a process has had at most counts the memory of its parent, too, where the parent was copied to make it. The kernel's own mark does not. */
function peak() {
  try {
    return /VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
  } catch {
    return String(process.resourceUsage().maxRSS);
  }
}
