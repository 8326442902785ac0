import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeCount, textOfSandbox } from "../support/read-sandbox.ts";
import { programForTwoStacks, type ProgramForTwoStacks } from "../support/program.ts";

let stacks: ProgramForTwoStacks;
let archive: string;
/** The target, and the flag without which alerts on saved searches could not be created. */
const ONTO = "--to $TO --create saved-searches";

beforeAll(async () => {
  stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: "sample" },
    { variant: "self-hosted", seed: "bare" },
  );
  const document = await stacks.json("export --from $FROM", { now: () => 1_795_236_761_000 });
  expect(document).toMatchObject({
    command: "export",
    ok: true,
    exitCode: 0,
    startedAt: "2026-11-21T04:52:41.000Z",
    from: { variant: "self-hosted", baseUrl: stacks.from.url },
    archive: {
      formatVersion: 1,
      contentDigest: expect.stringMatching(/^(sha256:)?[0-9a-f]{64}$/),
      bytes: expect.any(Number),
    },
    counts: { export: expect.any(Number) },
    requests: { total: 11, retried: 0, rateLimited: 0, waitedMs: 0 },
    kinds: { dashboards: { status: "complete" }, alerts: { status: "complete", count: 14 } },
  });
  archive = (await readdir(stacks.cwd)).join();
});

afterAll(() => stacks[Symbol.asyncDispose]());

describe("an import of an export", () => {
  it("names the archive after stack and time, for its owner only", async () => {
    expect(archive).toBe(`stackferry-127.0.0.1-${new URL(stacks.from.url).port}-20261121T045241Z.zip`);
    expect((await stat(join(stacks.cwd, archive))).mode & 0o777).toBe(0o600);
  });

  it("keeps credentials and secrets out of archive and output", async () => {
    const bytes = await readFile(join(stacks.cwd, archive));
    for (const secret of [stacks.from.apiKey ?? "", "not-a-real-token", "not-a-real-key"]) {
      expect(secret).not.toBe("");
      expect(bytes.includes(secret)).toBe(false);
    }
  });

  it("plans without writing: 10 with --exit-code when something would be written", async () => {
    const plain = await stacks.run(`import ${archive} ${ONTO} --dry-run`);
    expect(plain.exitCode).toBe(0);
    expect(plain.stdout).toMatch(/\nPlan: \d+ to create; \d+ matched\.\nTo do this: stackferry import /);
    const document = await stacks.json(`import ${archive} ${ONTO} --dry-run --exit-code`);
    expect(document).toMatchObject({
      ok: true,
      exitCode: 10,
      dryRun: true,
      to: { baseUrl: stacks.to.url },
      unresolved: [],
    });
    expect(document["outcomes"]).toContainEqual(expect.objectContaining({ action: "create", status: "planned" }));
    expect(changeCount(stacks.to)).toBe(0);
  });

  it("imports, and a selection under another name", async () => {
    expect(await stacks.json(`import ${archive} ${ONTO}`)).toMatchObject({ ok: true, exitCode: 0, warnings: [] });
    expect((await stacks.run(`import ${archive} ${ONTO} --dry-run --exit-code`)).exitCode).toBe(0);
    const line = `import ${archive} --to $TO --kinds dashboards --name-prefix "Copy of "`;
    expect(await stacks.json(line)).toMatchObject({ ok: true, exitCode: 0 });
    const names = await textOfSandbox(stacks.to);
    expect(names).toContain('"name":"Copy of ');
  });

  it("exports what is asked for, and by what another stack recognises it, into a folder", async () => {
    const done = await stacks.run("export --from $FROM --format folder --out tree --kinds dashboards --quiet");
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await readdir(join(stacks.cwd, "tree"))).sort()).toEqual([
      "connections",
      "dashboards",
      "manifest.json",
      "saved-searches",
      "sources",
      "webhooks",
    ]);
    expect((await stacks.run("verify tree --quiet")).exitCode).toBe(0);
  });

  it("shows every request when asked, and never the key", async () => {
    const { stderr } = await stacks.run("export --from $FROM --out verbose.zip --verbose");
    expect(stderr).toMatch(/GET \/api\/v2\/dashboards\S* 200 \d+ ms/);
    expect(stderr).not.toContain(stacks.from.apiKey ?? "-");
  });
});
