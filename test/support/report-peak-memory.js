// Loaded into a measured program. Writes its peak memory in KiB, and its processor time in ms, to file descriptor 3.
import { writeSync } from "node:fs";
import { peakMemory } from "./peak-memory.js";

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${peakMemory()} ${Math.round((user + system) / 1000)}`);
});
