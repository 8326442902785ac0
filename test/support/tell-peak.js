// Loaded into a measured program: says on its fourth stream how much memory it had at most, in KiB.
import { writeSync } from "node:fs";
import { peakMemory } from "./peak-memory.js";

process.on("exit", () => writeSync(3, String(peakMemory())));
