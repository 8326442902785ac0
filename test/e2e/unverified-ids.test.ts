import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Bench } from "../support/import-bench.ts";
import { bench, importArgs } from "../support/import-bench.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { documentOf } from "../support/run-cli.ts";

type Outcomes = readonly { readonly kind: string; readonly code?: string; readonly message?: string }[];

/** The names of the target's webhooks and saved searches, by id. */
function namesOf({ to }: Bench): ReadonlyMap<string, string> {
  const searches = to.stored()["saved-searches"].map(({ id, name }) => [id, String(name)] as const);
  return new Map([...to.webhooks.map(({ id, name }) => [id, name] as const), ...searches]);
}

/** A map file whose values come from these; the archive's webhooks and saved searches have ids of their own. */
async function mapTo({ cwd }: Bench, valueOf: (id: string) => string): Promise<void> {
  const text = await readFile(join(cwd, "map.yaml"), "utf8");
  await writeFile(
    join(cwd, "map.yaml"),
    text.replaceAll(/: "([^"]+)"/g, (_, id: string) => `: "${valueOf(id)}"`),
  );
}

/** An older managed stack, which lists no webhooks. */
describe("a map file for a managed target, which lists no webhooks", () => {
  it("with names is refused before anything is written, dry or not, and the message says where an id is found", async () => {
    await using stage = await bench({ api: "contract" });
    const nameOf = namesOf(stage);
    await mapTo(stage, (id) => nameOf.get(id) ?? "");
    for (const more of [["--dry-run"], []]) {
      const run = documentOf(await stage.run(importArgs(stage.to, ...more)));
      expect(run).toMatchObject({ exitCode: 2, error: { code: "usage" } });
      expect(JSON.stringify(run["error"])).toContain("--draft-map");
    }
    const named = documentOf(
      await stage.run(["import", "a.zip", "--to", stage.to.stack, "--default-webhook", "pager", "--json"]),
    );
    expect(named).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    expect(await readSandbox(stage.to, "dashboards")).toEqual([]);
  });

  it("with ids marks them in text, JSON and report, and the run does what the dry run says", async () => {
    await using stage = await bench({ api: "contract" });
    const args = importArgs(stage.to).filter((word) => word !== "--json");
    const dry = await stage.run([...args, "--dry-run", "--report", "plan.html"]);
    expect(dry.stdout).toContain(
      "23 to create, 0 to update, 0 unchanged, 12 matched, 0 blocked. 5 ids are not verified.",
    );
    for (const noun of ["webhook", "saved search"]) {
      expect(dry.stdout).toMatch(
        new RegExp(`${noun} "[^"]+" → [0-9a-f-]{24,36}: not verified; \\d+ records? uses? it`),
      );
    }
    expect(await readFile(join(stage.cwd, "plan.html"), "utf8")).toContain("not verified");
    const document = documentOf(await stage.run([...args, "--dry-run", "--json"]));
    const { matches } = document as { matches: { unverified?: boolean }[] };
    expect(matches.filter(({ unverified }) => unverified)).toHaveLength(5);
    expect(documentOf(await stage.run([...args, "--json"]))).toMatchObject({ exitCode: 0, counts: { create: 23 } });
    // The alerts of the target use the ids now.
    expect((await stage.run([...args, "--dry-run"])).stdout).not.toContain("not verified");
  });

  it("with an id that the target does not know sends it once, and one message says so for all", async () => {
    await using stage = await bench({ api: "contract" });
    const [right = ""] = stage.to.webhooks.map(({ id }) => id);
    const isSearch = new Set(stage.to.stored()["saved-searches"].map(({ id }) => id));
    await mapTo(stage, (id) => (id === right || isSearch.has(id) ? id : "0".repeat(24)));
    const run = documentOf(await stage.run(importArgs(stage.to)));
    expect(run).toMatchObject({ exitCode: 3 });
    const alerts = (run as { outcomes: Outcomes }).outcomes.filter(({ kind }) => kind === "alerts");
    const refused = alerts.filter(({ code }) => code === "refused-webhook");
    expect(refused.length).toBeGreaterThan(1);
    expect(new Set(refused.map(({ message }) => message)).size).toBe(1);
    expect(new Set(alerts.map(({ code }) => code))).toEqual(new Set([undefined, "refused-webhook"]));
    expect(stage.to.stats().byRoute["POST alerts"]).toBe(alerts.length - refused.length + 1);
  });
});

it("a newer target lists its webhooks and saved searches: names are looked up, and nothing is unverified", async () => {
  await using stage = await bench({ variant: "self-hosted" });
  const nameOf = namesOf(stage);
  await mapTo(stage, (id) => nameOf.get(id) ?? "");
  const args = importArgs(stage.to).filter((word) => word !== "--json");
  expect((await stage.run([...args, "--dry-run"])).stdout).not.toContain("not verified");
  expect(documentOf(await stage.run([...args, "--json"]))).toMatchObject({ exitCode: 0, counts: { create: 25 } });
});
