import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

// Runs programs and measures their time and memory.

export const PROGRAM = fileURLToPath(new URL("../../bin/stackferry.js", import.meta.url));
const TELL_MEMORY = fileURLToPath(new URL("tell-memory.js", import.meta.url));

/** Runs Node with these arguments. Returns milliseconds, peak memory in MB, and stdout; throws unless the exit code is 0. */
export function runNode(args, { env = {}, cwd, memory = true } = {}) {
  return run(process.execPath, [...(memory ? ["--import", TELL_MEMORY] : []), ...args], { env, cwd });
}

/** Runs any program like `runNode`, but without its memory. */
export function run(command, args, { env = {}, cwd } = {}) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, STACKFERRY_API_KEY: "bench-key-of-nobody", ...env },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    const texts = ["", "", "", ""];
    for (const number of [1, 2, 3]) child.stdio[number].on("data", (chunk) => (texts[number] += chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      const ms = performance.now() - begun;
      if (code !== 0) return reject(new Error(`${command} ${args.join(" ")} ended with ${code}: ${texts[2]}`));
      resolve({ ms, memoryMb: Number(texts[3]) / 1024, stdout: texts[1] });
    });
  });
}

/**
 * Runs the tasks in turn, so that other work on the machine slows down all of them alike. Returns the median of each task's
 * `key`.
 */
export async function medians(times, tasks, key = "ms") {
  const found = Object.fromEntries(Object.keys(tasks).map((name) => [name, []]));
  for (let round = 0; round < times; round += 1)
    for (const [name, task] of Object.entries(tasks)) found[name].push((await task())[key]);
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, median(values)]));
}

function median(values) {
  return values.toSorted((left, right) => left - right)[values.length >> 1];
}
