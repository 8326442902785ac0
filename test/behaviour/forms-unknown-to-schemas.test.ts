import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { dashboard, hexId, source } from "../support/stack-records.ts";
import { showsUndescribed } from "../support/undescribed.ts";

const LOGS = source(hexId("b", 1), "Logs", hexId("c", 1));
const board = (number: number, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  dashboard(hexId("a", number), name, hexId("b", 1), { tags: [], ...more });

async function exported(
  dashboards: readonly ReturnType<typeof dashboard>[],
  ...more: Readonly<Record<string, unknown>>[]
) {
  const sandbox = await startSandbox({
    variant: "self-hosted",
    seed: { sources: [LOGS], dashboards, "saved-searches": more },
  });
  const env = sandboxEnv(sandbox);
  const words = ["export", "--from", sandbox.stack, "--format", "code", "--out", "stack", "--json"];
  const first = await runCli(words, { env });
  const { cwd } = first;
  return {
    document: documentOf(first),
    text: (path: string) => readFile(join(cwd, "stack", path), "utf8"),
    edit: async (path: string, from: string, to: string) => {
      const file = join(cwd, "stack", path);
      await writeFile(file, (await readFile(file, "utf8")).replace(from, to));
    },
    apply: async () =>
      documentOf(await runCli(["apply", "stack", "--to", sandbox.stack, "--yes", "--json"], { env, cwd })),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

describe("what a stack holds and the schema of its files does not know", () => {
  it.each(["promql", "esql"])("is applied again where it is a word: %s", async (language) => {
    showsUndescribed(/\/savedQueryLanguage: is none of sql, lucene, but esql$/);
    const odd = board(16, "Odd", { savedQuery: "up", savedQueryLanguage: language });
    await using stack = await exported([odd, board(17, "Plain")]);
    expect(stack.document["exitCode"]).toBe(0);
    expect(await stack.text("dashboards/odd.yaml")).toContain(`savedQueryLanguage: ${language}`);
    expect(await stack.apply()).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
  });

  it("is a warning of the export with file and place where it has another form, and keeps no other file back", async () => {
    showsUndescribed(/\/select: is array, not string$/);
    const search = {
      id: hexId("d", 1),
      name: "Errors",
      sourceId: hexId("b", 1),
      select: ["Body"],
      tags: [],
      filters: [],
    };
    await using stack = await exported([board(17, "Plain")], search);
    const warnings = stack.document["warnings"] as readonly { code: string }[];
    expect(warnings.filter(({ code }) => code !== "dead-reference")).toMatchObject([
      {
        code: "not-in-schema",
        message: expect.stringContaining("saved-searches/errors.yaml"),
        pointer: "/select",
      },
    ]);
    expect(await stack.text("saved-searches/errors.yaml")).toContain("Body");
    expect(await stack.apply()).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
    await stack.edit("saved-searches/errors.yaml", "Body", "Other");
    expect(await stack.apply()).toMatchObject({ exitCode: 3, counts: { blocked: 1, unchanged: 1 } });
  });
});
