import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { alert, dashboard, hexId, asListedBy, source, webhook } from "../support/stack-records.ts";
import { twoStacks } from "../support/sandbox-pair.ts";
import type { TwoStacks } from "../support/sandbox-pair.ts";

const [LOGS, GONE, HOOK, NO_HOOK, NO_TILE] = [
  hexId("a", 1),
  hexId("e", 1),
  hexId("a", 2),
  hexId("e", 2),
  hexId("e", 3),
];
const healthy = dashboard(hexId("a", 16), "Healthy", LOGS);
const rotten = dashboard(hexId("a", 17), "Rotten", GONE, {
  filters: [{ id: hexId("d", 1), type: "QUERY_EXPRESSION", name: "F", expression: "x", sourceId: GONE }],
});
const seed = {
  connections: [{ id: hexId("a", 8), name: "Main", host: "http://db:8123", username: "reader" }],
  sources: [source(LOGS, "Logs", hexId("a", 8))],
  webhooks: [webhook(HOOK, "pager", "slack")],
  dashboards: [healthy, rotten],
  alerts: [
    alert(hexId("a", 32), "Fine", healthy, HOOK),
    alert(hexId("a", 33), "No tile", healthy, HOOK, { tileId: NO_TILE }),
    alert(hexId("a", 34), "No hook", healthy, NO_HOOK),
  ],
};
const target = { connections: seed.connections, sources: seed.sources, webhooks: seed.webhooks };

type Reported = readonly { code: string; message: string; name: string; action: string }[];

async function stage(variant: "self-hosted" | "managed"): Promise<TwoStacks> {
  return twoStacks({ variant, ids: "hex", seed: asListedBy(variant, seed) }, { variant, ids: "hex", seed: target });
}

const EXPORT = "export --from $FROM --out a.zip";
const IMPORT = "import a.zip --to $TO --yes";

describe.each(["self-hosted", "managed"] as const)("dangling references on a %s stack", (variant) => {
  it("are named by an export, each with its record, its member and the missing id", async () => {
    await using bench = await stage(variant);
    const run = await bench.json(EXPORT);
    expect(run["exitCode"]).toBe(0);
    const unshown = (run["warnings"] as Reported).filter(({ code }) => code === "unshown-tile");
    expect(unshown.map(({ message }) => message)).toEqual([expect.stringContaining(`"No tile"`)]);
    const { manifest } = (await bench.json("inspect a.zip")) as { manifest: { notHeld: unknown[] } };
    expect(manifest.notHeld).toContainEqual(
      expect.objectContaining({ code: "unshown-tiles", kind: "dashboards", count: 1 }),
    );
    const places = variant === "self-hosted" ? "/channel/webhookId and 1 more place" : "/channel/webhookId";
    const warnings = (run["warnings"] as Reported).filter(({ code }) => code === "dead-reference");
    expect(warnings.map(({ message }) => message).toSorted()).toEqual([
      `the alert "No hook" points to the webhook ${NO_HOOK}, which the stack does not have (${places})`,
      `the dashboard "Rotten" points to the source ${GONE}, which the stack does not have (/tiles/0/config/sourceId and 1 more place)`,
    ]);
  });

  it("block an import, which names them, until a map file gives each another record to point to", async () => {
    await using bench = await stage(variant);
    await bench.run(EXPORT);
    const first = await bench.json(`${IMPORT} --dry-run`);
    const blocked = (first["outcomes"] as Reported).filter(({ action }) => action === "blocked");
    expect(blocked.map(({ name, code }) => `${name}: ${code}`).toSorted()).toEqual([
      "No hook: dead-reference",
      "No tile: unshown-tile",
      "Rotten: dead-reference",
    ]);
    expect(blocked.find(({ name }) => name === "Rotten")?.message).toContain("/tiles/0/config/sourceId");
    expect(first["unresolved"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ space: "sources", id: GONE, reason: "dead" })]),
    );
    await writeFile(join(bench.cwd, "map.yaml"), `sources:\n  "${GONE}": "Logs"\nwebhooks:\n  "${NO_HOOK}": "pager"\n`);
    const mapped = await bench.json(`${IMPORT} --map map.yaml`);
    const left = (mapped["outcomes"] as Reported).filter(({ action }) => action === "blocked");
    expect(left.map(({ name }) => name)).toEqual(["No tile"]);
  });

  it("are drawn in the reports of the archive and of the import", async () => {
    await using bench = await stage(variant);
    await bench.run(EXPORT);
    await bench.run("report a.zip --out archive.html");
    await bench.run(`${IMPORT} --dry-run --report plan.html`);
    const archive = await readFile(join(bench.cwd, "archive.html"), "utf8");
    expect(archive).toContain("Dead references");
    expect(archive).toContain("Tiles that are not shown");
    for (const id of [GONE, NO_HOOK, NO_TILE]) expect(archive).toContain(id);
    expect(await readFile(join(bench.cwd, "plan.html"), "utf8")).toContain("dead-reference");
  });
});
