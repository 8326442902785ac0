import { readdirSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openArchive } from "../../src/archive/reader.ts";
import { runProgram } from "../chaos/run-program.ts";
import { startFakeServer } from "../support/fake-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { recordsIn } from "../support/archive-samples.ts";

// The program runs in a process of its own, and the list reaches it in many pieces.
const KEY = "key-of-this-very-run";
const env = { STACKFERRY_API_KEY: KEY };
const COUNT = 400;

const dashboard = (number: number, more: object = {}): object => ({
  id: number.toString(16).padStart(24, "0"),
  name: `Dashboard ${number}`,
  tiles: Array.from({ length: 100 }, (_, position) => ({
    id: (number * 1000 + position + 1_000_000).toString(16).padStart(24, "0"),
    name: `${position} of ${number}`,
    config: {
      displayType: "markdown",
      markdown: `Read the runbook ${number * position} before you restart anything at all.`,
    },
  })),
  ...more,
});

const answerEmpty: RequestListener = (_, response) => response.end('{"data":[]}');

/**
 * Starts a self-hosted stack with many dashboards, of which `last` is the last.
 * @param missing number of characters at the end of their list that the stack never sends
 */
async function stackWith(last: object, { other = answerEmpty, missing = 0 } = {}) {
  const all = Array.from({ length: COUNT }, (_, index) => dashboard(index, index === COUNT - 1 ? last : {}));
  const list = JSON.stringify({ data: all.toReversed() });
  expect(list.length).toBeGreaterThan(5_000_000);
  let isAsked = false;
  const server = await startFakeServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (!request.url?.startsWith("/api/v2/dashboards")) return other(request, response);
    isAsked = true;
    if (missing === 0) response.end(list);
    else response.write(list.slice(0, -missing));
  });
  const cwd = temporaryFolder();
  return { ...server, cwd, isAsked: () => isAsked, export: ["export", "--from", server.url, "--out", "a.zip"] };
}

describe("an export of a long list", () => {
  it("holds everything but secrets, in the order of ids", async () => {
    await using stack = await stackWith({ password: "tr0ub4dor-and-3", note: "postgres://u:pa55word@db" });
    const { cwd } = stack;
    expect((await runProgram(stack.export, env, cwd)).exitCode).toBe(0);
    await using archive = await openArchive(join(cwd, "a.zip"));
    const ids = archive.manifest.entries.map(({ id }) => id);
    expect(ids).toHaveLength(COUNT);
    expect(ids).toEqual(ids.toSorted());
    expect(archive.manifest.redactions).toHaveLength(2);
    let json = "";
    for (const record of await recordsIn(archive)) json += JSON.stringify(record);
    expect(json).not.toMatch(/tr0ub4dor|pa55word/);
  });

  it("is not written if it would hold the key of the run", async () => {
    await using stack = await stackWith({ note: `sign in with ${KEY}` });
    const { exitCode, stdout, stderr } = await runProgram(stack.export, env, stack.cwd);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("contains a credential that this run uses");
    expect(`${stdout}${stderr}`).not.toContain(KEY);
    expect(readdirSync(stack.cwd)).toEqual([]);
  });

  it("reports the refusal of the stack before any other error", async () => {
    const other: RequestListener = (request, response) => {
      response.statusCode = request.url?.includes("webhooks") === true ? 403 : 200;
      setTimeout(() => response.end('{"data":[]}'), 1500);
    };
    await using stack = await stackWith({ note: `x ${KEY}` }, { other });
    expect((await runProgram(stack.export, env, stack.cwd)).exitCode).toBe(5);
    expect(readdirSync(stack.cwd)).toEqual([]);
  });

  it("can be interrupted while the list arrives, and leaves no file", async () => {
    await using stack = await stackWith({}, { missing: 1000 });
    const kill = { when: stack.isAsked, afterMs: 1500, signal: "SIGINT" } as const;
    expect((await runProgram(stack.export, env, stack.cwd, kill)).exitCode).toBe(130);
    expect(readdirSync(stack.cwd)).toEqual([]);
  });
});
