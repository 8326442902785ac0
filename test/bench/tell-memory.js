// Loaded into a measured program: writes the peak memory in KiB to file descriptor 3 when the program exits.
import { writeSync } from "node:fs";

process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));
