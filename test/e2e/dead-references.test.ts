import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { alert, dashboard, hexId, asListedBy, source, webhook } from "../support/stack-records.ts";
import { programForTwoStacks } from "../support/program.ts";

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

describe.each(["self-hosted", "managed"] as const)("dangling references on a %s stack", (variant) => {
  it("are named by an export, block an import until a map file replaces them, and are named in both reports", async () => {
    await using program = await programForTwoStacks(
      { variant, ids: "hex", seed: asListedBy(variant, seed) },
      { variant, ids: "hex", seed: target },
    );
    const { json, run, cwd } = program;
    const exported = await json("export --from $FROM --out a.zip");
    expect(exported["exitCode"]).toBe(0);
    const messagesOf = (wanted: string) =>
      (exported["warnings"] as Reported).flatMap(({ code, message }) => (code === wanted ? [message] : [])).toSorted();
    expect(messagesOf("unshown-tile")).toEqual([expect.stringContaining(`"No tile"`)]);
    const places = variant === "self-hosted" ? "/channel/webhookId and 1 more place" : "/channel/webhookId";
    expect(messagesOf("dead-reference")).toEqual([
      `the alert "No hook" points to the webhook ${NO_HOOK}, which the stack does not have (${places})`,
      `the dashboard "Rotten" points to the source ${GONE}, which the stack does not have (/tiles/0/config/sourceId and 1 more place)`,
    ]);
    await run("report a.zip --out archive.html");
    const page = await readFile(join(cwd, "archive.html"), "utf8");
    for (const text of [GONE, NO_HOOK, NO_TILE]) {
      expect(page).toContain(text);
    }
    const blockedOf = (document: Record<string, unknown>) =>
      (document["outcomes"] as Reported).flatMap(({ action, name, code }) =>
        action === "blocked" ? [`${name}: ${code}`] : [],
      );
    const planned = await json("import a.zip --to $TO --dry-run --report plan.html");
    expect(blockedOf(planned).toSorted()).toEqual([
      "No hook: dead-reference",
      "No tile: unshown-tile",
      "Rotten: dead-reference",
    ]);
    expect(planned["unresolved"]).toContainEqual(
      expect.objectContaining({ space: "sources", id: GONE, reason: "dead" }),
    );
    expect(await readFile(join(cwd, "plan.html"), "utf8")).toContain("dead-reference");
    await writeFile(join(cwd, "map.yaml"), `sources:\n  "${GONE}": "Logs"\nwebhooks:\n  "${NO_HOOK}": "pager"\n`);
    expect(blockedOf(await json("import a.zip --to $TO --map map.yaml"))).toEqual(["No tile: unshown-tile"]);
  });
});
