import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { PROGRAM } from "../chaos/run-program.ts";
import { writeArchive } from "../support/archive-samples.ts";
import { largeArchive } from "../support/large-archive.ts";
import { startFakeServer } from "../support/fake-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DASHBOARDS = 3000;
const cwd = temporaryFolder();

/** Commands that are stopped while they plan. */
const COMMANDS = [
  "import large.zip --to STACK --dry-run",
  "import large.zip --to STACK --dry-run",
  "diff large.zip STACK",
  "report large.zip --out report.html",
];
const CASES = COMMANDS.flatMap((command) => [0.1, 0.3, 0.6].map((share) => [command, share] as const));

it.each(CASES)("%s: a SIGTERM takes effect within a second, %f into the planning", async (command, share) => {
  const { records } = largeArchive(DASHBOARDS);
  await writeArchive({ path: join(cwd, "large.zip"), format: "zip" }, records);
  const bodies = (kind: string): unknown[] => records.flatMap((each) => (each.kind === kind ? [each.body] : []));
  await using stack = await startFakeServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://stack.test");
    const all = bodies(pathname.split("/").at(-1) ?? "");
    const offset = Number(searchParams.get("offset") ?? 0);
    const limit = Number(searchParams.get("limit") ?? all.length);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data: all.slice(offset, offset + limit), meta: { total: all.length } }));
  });
  const whole = await timed(command, stack.url, undefined);
  const { code, planningMs } = await timed(command, stack.url, whole.planningMs * share);
  expect(code).toBe(130);
  expect(planningMs).toBeLessThan(whole.planningMs * share + 1000);
});

/** Runs the command, and measures the time of its planning, which begins when everything has been read. */
async function timed(
  command: string,
  to: string,
  killAfterMs: number | undefined,
): Promise<{ code: number | null; planningMs: number }> {
  const args = [...command.replace("STACK", to).split(" "), "--verbose"];
  const env = { ...process.env, STACKFERRY_API_KEY: "key-of-this-very-run" };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  // An archive has been read at the first phase event; a stack, when its fourth list has been read.
  const [event, times] = command.startsWith("report") ? ["reading", 1] : ["GET /", 4];
  let begun: number | undefined;
  let seen = 0;
  child.stderr.on("data", (text) => {
    seen += String(text).split(event).length - 1;
    if (seen < times || begun !== undefined) return;
    begun = performance.now();
    if (killAfterMs !== undefined) void setTimeout(killAfterMs).then(() => child.kill("SIGTERM"));
  });
  const [code] = await once(child, "close");
  return { code, planningMs: performance.now() - (begun ?? Number.NaN) };
}
