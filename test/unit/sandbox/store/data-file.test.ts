import { open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { describeSandbox, startSandbox, type Sandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { call, list, markdownTile, record } from "../call.ts";

let folder = "";
let dataFile = "";

beforeEach(async () => {
  folder = temporaryFolder();
  dataFile = join(folder, "state.json");
});

function withoutPort(sandbox: Sandbox): unknown {
  return JSON.parse(JSON.stringify(describeSandbox(sandbox)).replaceAll(sandbox.url, "URL"));
}

test.each(["managed", "self-hosted"] as const)(
  "%s: a restarted sandbox has the records of its data file, which overrides the seed",
  async (variant) => {
    const first = await startSandbox({ variant, seed: "sample", dataFile });
    const made = record(await call(first, "POST", "dashboards", { name: "made", tiles: [markdownTile("a")] }));
    const dashboards = list(await call(first, "GET", "dashboards"));
    const face = withoutPort(first);
    await first.close();
    await using second = await startSandbox({ variant, seed: "bare", dataFile });
    expect(withoutPort(second)).toEqual(face);
    expect(list(await call(second, "GET", "dashboards"))).toEqual(dashboards);
    expect(dashboards).toContainEqual(made);
    expect(list(await call(second, "GET", "alerts"))).toHaveLength(14);
    expect(list(await call(second, "GET", "saved-searches"))).toHaveLength(2);
  },
);

test("a confirmed write is in the data file, which is replaced and never changed in place", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", dataFile });
  const text = await readFile(dataFile, "utf8");
  await using before = await open(dataFile, "r");
  const names = Array.from({ length: 25 }, (_, index) => `d${index}`);
  await Promise.all(names.map((name) => call(sandbox, "POST", "dashboards", { name, tiles: [] })));
  const state: unknown = JSON.parse(await readFile(dataFile, "utf8"));
  const dashboards = expect.arrayContaining(names.map((name) => expect.objectContaining({ name })));
  expect(state).toMatchObject({ records: { dashboards } });
  // A program that opened the file before still reads the whole old file.
  expect(await before.readFile("utf8")).toBe(text);
  expect((await stat(dataFile)).mode & 0o777).toBe(0o600);
});

test("a write that cannot be saved to the data file returns 500", async () => {
  const sandbox = await startSandbox({ variant: "self-hosted", dataFile });
  await rm(folder, { recursive: true });
  expect((await call(sandbox, "POST", "dashboards", { name: "d", tiles: [] })).status).toBe(500);
  await expect(sandbox.close()).rejects.toMatchObject({ code: "sandbox-io" });
});

test("an incomplete temporary file of the data file is ignored and replaced", async () => {
  await (await startSandbox({ variant: "self-hosted", dataFile, seed: "bare" })).close();
  await writeFile(`${dataFile}.tmp`, '{"format":"stackferry-sandbox","records":{"dash', { mode: 0o644 });
  await using sandbox = await startSandbox({ variant: "self-hosted", dataFile });
  expect(list(await call(sandbox, "GET", "sources"))).toHaveLength(5);
  await expect(stat(`${dataFile}.tmp`)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a damaged data file is refused and left unchanged", async () => {
  for (const text of ["", "{", '{"format":"other"}']) {
    await writeFile(dataFile, text);
    await expect(startSandbox({ variant: "self-hosted", dataFile })).rejects.toMatchObject({ code: "sandbox-io" });
    expect(await readFile(dataFile, "utf8")).toBe(text);
  }
});

test("a data file of the other variant, and one in a missing folder, are refused", async () => {
  await (await startSandbox({ variant: "managed", dataFile })).close();
  await expect(startSandbox({ variant: "self-hosted", dataFile })).rejects.toMatchObject({ code: "sandbox-usage" });
  const elsewhere = join(folder, "missing", "state.json");
  await expect(startSandbox({ variant: "managed", dataFile: elsewhere })).rejects.toMatchObject({ code: "sandbox-io" });
});
