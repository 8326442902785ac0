import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox, type SandboxOptions } from "../../support/start-sandbox.ts";
import { programForTwoStacks, type ProgramForTwoStacks } from "../../support/program.ts";

/** Starts the sample stack, and a managed service with sources of its own: other names, another database. */
async function toPlatform(deployment: Partial<SandboxOptions>): Promise<ProgramForTwoStacks> {
  await using bare = await startSandbox({ variant: "managed", seed: "bare", ids: "hex" });
  const { connections, sources, webhooks } = bare.stored();
  const platform = sources.map(({ name, from, ...source }) => ({
    ...source,
    name: `Platform: ${String(name)}`,
    from: { ...(from as object), databaseName: "telemetry" },
  }));
  const seed = { connections, sources: platform, webhooks };
  const target = { variant: "managed", ids: "hex", seed, ...deployment } as const;
  return programForTwoStacks({ variant: "self-hosted", seed: "sample" }, target);
}

interface Unresolved {
  readonly space: string;
  readonly id: string;
  readonly name: string;
  readonly candidates: readonly { readonly id: string; readonly name: string }[];
}

const MIGRATE = "migrate --from $FROM --to $TO --create saved-searches";
const WRITES_OF_SOURCES = ["POST sources", "PUT sources/{id}", "DELETE sources/{id}"];

describe("a migration to a service whose sources belong to the platform", () => {
  it("works with a map file alone, whose draft has the likely counterparts first", async () => {
    await using program = await toPlatform({ api: "fully-managed" });
    const { cwd, json, to } = program;
    const plan = await json(`${MIGRATE} --dry-run --draft-map map.yaml`);
    const unresolved = plan["unresolved"] as readonly Unresolved[];
    const sources = unresolved.filter(({ space }) => space === "sources");
    expect(sources.map(({ name, candidates }) => [name, candidates[0]?.name])).toEqual(
      sources.map(({ name }) => [name, `Platform: ${name}`]),
    );
    // An operator fills each line of the draft with the first candidate below it.
    const draft = await readFile(join(cwd, "map.yaml"), "utf8");
    let first: string | undefined;
    const filled = draft.split("\n").map((line) => {
      const [, candidate] = /^ {2}# {3}(".*?") {2}/.exec(line) ?? [];
      if (candidate !== undefined) first ??= candidate;
      if (!/^ {2}".*":$/.test(line)) return line;
      const answer = `${line} ${first}`;
      first = undefined;
      return answer;
    });
    await writeFile(join(cwd, "map.yaml"), filled.join("\n"));
    const done = await json(`${MIGRATE} --map map.yaml`);
    expect(done).toMatchObject({ ok: true, counts: { create: 25 } });
    expect(to.stored().sources).toHaveLength(5);
    expect(await json(`${MIGRATE} --map map.yaml --dry-run --exit-code`)).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ["refuses writes of sources", { api: "fully-managed" }],
    ["does not know writes of sources", { without: WRITES_OF_SOURCES }],
  ] as const)(
    "is told by one refusal that no source can be created, and what to do, if it %s",
    async (_, deployment) => {
      await using program = await toPlatform(deployment);
      const lines = program.to.stored().connections.map(({ id, name }) => `  ${String(name)}: "${id}"\n`);
      await writeFile(join(program.cwd, "map.yaml"), `connections:\n${lines.join("")}`);
      const done = await program.json("migrate --from $FROM --to $TO --create sources,saved-searches --map map.yaml");
      const outcomes = done["outcomes"] as readonly { kind: string; status: string; message?: string }[];
      const refused = outcomes.filter(({ kind, message }) => kind === "sources" && message?.includes("map file"));
      expect(done).toMatchObject({ exitCode: 3 });
      expect(refused.length).toBeGreaterThan(0);
      const { byRoute } = program.to.stats();
      expect(byRoute["POST sources"] ?? byRoute["POST unknown"]).toBe(1);
      expect(program.to.stored().sources).toHaveLength(5);
    },
  );

  it("copies dashboards and alerts from one service of an organisation to another", async () => {
    const organizationId = "5f0c2c1e-6a0e-4b7c-9a56-1f9a4c1d2e3f";
    await using program = await programForTwoStacks(
      { variant: "managed", seed: "sample", organizationId },
      { variant: "managed", seed: "bare", organizationId },
    );
    expect(program.from.stack.split("/services/")[0]?.split("/").at(-1)).toBe(organizationId);
    const sample = await readFile(new URL("../../../samples/shell/copy-service.sh", import.meta.url), "utf8");
    const [command = ""] = /stackferry (migrate .*--map .*) --yes/.exec(sample)?.slice(1) ?? [];
    await writeFile(join(program.cwd, "services.yaml"), "sources:\n");
    const words = command.replace("checkout", "$FROM").replace("payments", "$TO").replace('"$map"', "services.yaml");
    const copied = await program.json(words);
    expect(copied).toMatchObject({ ok: true, counts: { create: 25 } });
    expect((await program.run("diff $FROM $TO --exit-code --kinds dashboards,alerts")).exitCode).toBe(0);
    expect(await program.json(`${MIGRATE} --dry-run --exit-code`)).toMatchObject({ exitCode: 0 });
  });
});
