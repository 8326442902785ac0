// Loaded into a measured program: says on its fourth stream how much memory it had at most, in KiB, and its processor time, in ms.
import { writeSync } from "node:fs";
import { peakMemory } from "./peak-memory.js";

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${peakMemory()} ${Math.round((user + system) / 1000)}`);
});
