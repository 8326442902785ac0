import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import { emptyStack, isWrite, outcomesOf, smallBench } from "../support/small-bench.ts";
import { dashboard, hexId } from "../support/stack-records.ts";

type Body = Record<string, unknown>;

/**
 * Changes the dashboards in the target's responses to this method. Returns a list to which the route of each write is added.
 */
function changeResponses(bench: SmallBench, method: "GET" | "POST" | "PUT", change: (body: Body) => Body): string[] {
  const writes: string[] = [];
  bench.watch = async (request, proceed) => {
    if (isWrite(request)) writes.push(request.route);
    const response = await proceed();
    if (request.method !== method || !request.route.includes("dashboards") || !response.ok) return response;
    const answer = (await response.json()) as { data: Body | Body[] };
    const data = Array.isArray(answer.data) ? answer.data.map(change) : change(answer.data);
    return Response.json({ ...answer, data });
  };
  return writes;
}

/** Expects that no file and no output of the run holds the target's key. */
async function expectNoKey(bench: SmallBench, run: { stdout: string; stderr: string }): Promise<void> {
  const key = bench.to.apiKey ?? "";
  expect(key.length).toBeGreaterThan(8);
  const files = (await readdir(bench.cwd)).filter((name) => name !== "a.zip");
  const texts = await Promise.all(files.map((name) => readFile(join(bench.cwd, name), "utf8")));
  for (const text of [...texts, run.stdout, run.stderr]) expect(text).not.toContain(key);
}

describe("an id that holds the credential of the run", () => {
  it.each([
    ["in plain", (key: string) => key],
    ["in base64", (key: string) => Buffer.from(`x:${key}`).toString("base64")],
  ])("%s, answered to a create, is written nowhere (secret-in-output)", async (_, form) => {
    await using bench = await smallBench();
    changeResponses(bench, "POST", (body) => ({ ...body, id: form(bench.to.apiKey ?? "") }));
    const run = await bench.import("--report", "r.html");
    expect(run.exitCode).toBe(3);
    expect(outcomesOf(run).some(({ code }) => code === "secret-in-output")).toBe(true);
    expect(run.stdout + run.stderr).not.toContain(form(bench.to.apiKey ?? ""));
    await expectNoKey(bench, run);
  });

  it("answered as that of a tile is written nowhere", async () => {
    await using bench = await smallBench();
    changeResponses(bench, "POST", (body) => ({
      ...body,
      tiles: (body["tiles"] as Body[]).map((tile) => ({ ...tile, id: bench.to.apiKey })),
    }));
    const run = await bench.import();
    expect(run.exitCode).toBe(3);
    expect(outcomesOf(run).some(({ code }) => code === "secret-in-output")).toBe(true);
    await expectNoKey(bench, run);
  });

  it("in a list ends the run before anything is written", async () => {
    const theirs = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [theirs] });
    const writes = changeResponses(bench, "GET", (body) => ({ ...body, id: bench.to.apiKey }));
    const run = await bench.import("--on-conflict", "update");
    expect(documentOf(run)).toMatchObject({ exitCode: 1, error: { code: "secret-in-output" } });
    expect(writes).toEqual([]);
    await expectNoKey(bench, run);
  });
});

it("what an update replaces is kept in the journal without the credential of the run", async () => {
  const theirs = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });
  await using bench = await smallBench({ ...emptyStack("b"), dashboards: [theirs] });
  changeResponses(bench, "GET", (body) => ({ ...body, tags: [`see ${bench.to.apiKey}`] }));
  const run = await bench.import("--on-conflict", "update", "--no-verify");
  expect((await bench.entries()).some(({ write }) => write === "update")).toBe(true);
  await expectNoKey(bench, run);
});
