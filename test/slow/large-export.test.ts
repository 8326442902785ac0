import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openArchive } from "../../src/archive/reader.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// A list that arrives in many pieces, and a program in a process of its own.
const PROGRAM = resolve(import.meta.dirname, "../../bin/stackferry.js");
const KEY = "key-of-this-very-run";
const env = { STACKFERRY_API_KEY: KEY };
const COUNT = 400;

let cwd: string;
let server: Server | undefined;
beforeEach(() => {
  cwd = temporaryFolder();
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

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

/** A self-hosted stack with many dashboards, the last of them as given. */
async function stackWith(last: object, other: RequestListener = (_, response) => response.end('{"data":[]}')) {
  const all = Array.from({ length: COUNT }, (_, index) => dashboard(index, index === COUNT - 1 ? last : {}));
  const list = JSON.stringify({ data: all.toReversed() });
  expect(list.length).toBeGreaterThan(5_000_000);
  server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.url?.startsWith("/api/v2/dashboards")) response.end(list);
    else other(request, response);
  });
  await new Promise<void>((ready) => server?.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, list };
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function run(args: readonly string[], onOutput: (kill: () => void) => void = () => {}): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env: { ...process.env, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      output += String(text);
      onOutput(() => child.kill("SIGINT"));
    });
  return new Promise((end) => child.on("close", (code) => end({ code, output })));
}

describe("an export of a long list", () => {
  it("holds everything but secrets, in the order of ids", async () => {
    const { url } = await stackWith({ password: "tr0ub4dor-and-3", note: "postgres://u:pa55word@db" });
    expect((await run(["export", "--from", url, "--out", "a.zip", "--quiet"])).code).toBe(0);
    await using archive = await openArchive(join(cwd, "a.zip"));
    const ids = archive.manifest.entries.map(({ id }) => id);
    expect(ids).toHaveLength(COUNT);
    expect(ids).toEqual(ids.toSorted());
    expect(archive.manifest.redactions).toHaveLength(2);
    let json = "";
    for await (const record of archive.records()) json += JSON.stringify(record);
    expect(json).not.toMatch(/tr0ub4dor|pa55word/);
  });

  it("that holds the key of the run is not written", async () => {
    const { url } = await stackWith({ note: `sign in with ${KEY}` });
    const { code, output } = await run(["export", "--from", url, "--out", "a.zip"]);
    expect(code).toBe(1);
    expect(output).toContain("contains a credential that this run uses");
    expect(output).not.toContain(KEY);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("says first what the stack refused, whatever else is wrong", async () => {
    const { url } = await stackWith({ note: `x ${KEY}` }, (request, response) => {
      response.statusCode = request.url?.includes("webhooks") === true ? 403 : 200;
      setTimeout(() => response.end('{"data":[]}'), 1500);
    });
    expect((await run(["export", "--from", url, "--out", "a.zip"])).code).toBe(5);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("can be interrupted while the list arrives, and leaves nothing", async () => {
    const { url, list } = await stackWith({});
    server?.removeAllListeners("request");
    server?.on("request", (request, response) => {
      response.setHeader("content-type", "application/json");
      // Most of the list, and then nothing more.
      if (request.url?.startsWith("/api/v2/dashboards")) response.write(list.slice(0, -1000));
      else response.end('{"data":[]}');
    });
    let killed = false;
    const ended = await run(["export", "--from", url, "--out", "a.zip"], (kill) => {
      if (!killed) setTimeout(kill, 1500);
      killed = true;
    });
    expect(ended.code).toBe(130);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
