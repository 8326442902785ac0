import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { writeArchive } from "../support/archive-samples.ts";
import { largeArchive } from "../support/large-archive.ts";
import { startOddServer } from "../support/odd-server.ts";

const PROGRAM = resolve(import.meta.dirname, "../../bin/stackferry.js");
const DASHBOARDS = 3000;
const cwd = mkdtempSync(join(tmpdir(), "stackferry-planning-"));
afterAll(() => rmSync(cwd, { recursive: true }));

/** The share of the planning that has gone by when the signal comes. It begins when the last list has been read. */
const COMMANDS = ["import large.zip --to STACK --dry-run", "diff large.zip STACK"];
const CASES = COMMANDS.flatMap((command) => [0.1, 0.3, 0.6].map((share) => [command, share] as const));

it.each(CASES)("%s: a SIGTERM takes effect within a second, %f into the planning", async (command, share) => {
  const { records } = largeArchive(DASHBOARDS);
  await writeArchive({ path: join(cwd, "large.zip"), format: "zip" }, records);
  const bodies = (kind: string): unknown[] => records.flatMap((each) => (each.kind === kind ? [each.body] : []));
  await using stack = await startOddServer((request, response) => {
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

/** Runs the command. Planning is what comes after the last event of the reading. */
async function timed(
  command: string,
  to: string,
  killAfterMs: number | undefined,
): Promise<{ code: number | null; planningMs: number }> {
  const args = [...command.replace("STACK", to).split(" "), "--log-format", "json", "--verbose"];
  const env = { ...process.env, STACKFERRY_API_KEY: "key-of-this-very-run" };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let lastRead = performance.now();
  let listed = 0;
  let isToldToEnd = false;
  child.stderr.on("data", (text) => {
    listed += String(text).split('"listed"').length - 1;
    if (listed < 4) lastRead = performance.now();
    else if (killAfterMs !== undefined && !isToldToEnd) {
      isToldToEnd = true;
      void setTimeout(killAfterMs).then(() => child.kill("SIGTERM"));
    }
  });
  const [code] = await once(child, "close");
  return { code, planningMs: performance.now() - lastRead };
}
