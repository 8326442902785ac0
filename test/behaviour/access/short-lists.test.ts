import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startJsonServer } from "../../support/fake-server.ts";
import { programFor } from "../../support/program.ts";

const program = () => programFor({}, { STACKFERRY_API_KEY: "key-of-this-run" });
const incomplete = (document: Readonly<Record<string, unknown>>) =>
  (document["warnings"] as { code: string }[]).filter(({ code }) => code === "list-incomplete");

describe("an export of a list that is one short", () => {
  const from = { databaseName: "default", tableName: "logs" };
  const sources = [0, 1, 2].map((index) => {
    return { id: `${"a".repeat(23)}${index}`, name: `Source ${index}`, kind: "log", connection: "c".repeat(24), from };
  });

  it.each([
    ["is complete if the stack counts what it shows", 3, "", { exitCode: 0 }, ["a.zip"]],
    ["is not written", 4, "", { exitCode: 3, error: { code: "list-incomplete" } }, []],
    [
      "says so in a partial archive",
      4,
      " --allow-partial",
      { exitCode: 3, kinds: { sources: { status: "failed" } } },
      ["a.zip"],
    ],
  ])("%s", async (_, total, more, document, files) => {
    await using server = await startJsonServer((kind) => {
      const isAsked = kind === "sources";
      return { data: isAsked ? sources : [], meta: { total: isAsked ? total : 0, limit: 1000, offset: 0 } };
    });
    const { cwd, json } = program();
    const exported = await json(`export --from ${server.url} --kinds sources --out a.zip${more}`);
    expect(exported).toMatchObject(document);
    expect(await readdir(cwd)).toEqual(files);
  });
});

describe("a stack that counts more webhooks than it shows, and skips a connection", () => {
  const webhooks = [1, 2].map((number) => {
    const url = `https://hooks.example.com/${number}`;
    return { id: `${"b".repeat(23)}${number}`, name: `hook ${number}`, service: "generic", url };
  });
  const host = "http://store.example.com:8123";
  const connection = { id: "c".repeat(24), name: "Main", host, username: "reader" };
  const dashboard = { id: "d".repeat(24), name: "Overview", tiles: [], tags: [] };

  function stackWith(hidden: { webhooks: number }) {
    return startJsonServer((kind, id, query) => {
      if (id !== undefined) return { data: kind === "dashboards" ? dashboard : connection };
      const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
      const answers: Readonly<Record<string, unknown>> = {
        webhooks: { data: offset === 0 ? webhooks : [], meta: { total: 2 + hidden.webhooks, limit, offset } },
        connections: { data: [connection], meta: { skipped: 1, skippedIds: ["e".repeat(24)] } },
        dashboards: { data: [dashboard] },
      };
      return answers[kind] ?? { data: [] };
    });
  }

  it("is exported, and what is missing is counted and named: exit 3", async () => {
    await using server = await stackWith({ webhooks: 2 });
    const exported = await program().json(`export --from ${server.url} --out a.zip`);
    expect(exported).toMatchObject({
      exitCode: 3,
      kinds: {
        webhooks: { status: "partial", count: 2, unlisted: 2 },
        connections: { status: "partial", count: 1, unlisted: 1 },
        dashboards: { status: "complete", count: 1 },
      },
    });
    expect(incomplete(exported)).toHaveLength(2);
    expect(JSON.stringify(incomplete(exported))).toContain("e".repeat(24));
  });

  it("is backed up with exit 3 when that begins or grows, and with a warning from then on", async () => {
    const hidden = { webhooks: 1 };
    await using server = await stackWith(hidden);
    const { cwd, json } = program();
    await mkdir(join(cwd, "repo"));
    const stacks = { lab: { variant: "self-hosted", baseUrl: server.url, apiKey: "k" } };
    await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks }));
    const backup = (more = "") => json(`backup lab --to ./repo${more}`);
    const first = await backup();
    expect(first).toMatchObject({ exitCode: 3, stacks: [{ suspect: [], newlyPartial: ["connections", "webhooks"] }] });
    expect(await backup()).toMatchObject({ exitCode: 0, stacks: [{ newlyPartial: [] }] });
    hidden.webhooks = 2;
    for (const exitCode of [3, 0]) expect(await backup(" --if-changed")).toMatchObject({ exitCode });
  });

  it("is imported onto: what it does not show is told, and nothing fails for it", async () => {
    await using server = await stackWith({ webhooks: 1 });
    const { run, json } = program();
    await run(`export --from ${server.url} --out a.zip --quiet`);
    const document = await json(`import a.zip --to ${server.url} --dry-run`);
    expect(document).toMatchObject({ exitCode: 0 });
    expect(incomplete(document)).toHaveLength(2);
  });
});
