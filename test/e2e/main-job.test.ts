import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { readSandbox, textOfSandbox } from "../support/read-sandbox.ts";
import type { Answered } from "../support/read-sandbox.ts";
import { twoStacks, webhookMap } from "../support/sandbox-pair.ts";

interface Tile {
  readonly id: string;
  readonly name: string;
  readonly config: {
    readonly sourceId?: string;
    readonly onClick?: { readonly type: string; readonly target: { readonly id?: string } };
  };
}

const tilesOf = (dashboard: Answered | undefined): Tile[] => (dashboard?.["tiles"] ?? []) as Tile[];
const byId = (records: readonly Answered[], id: unknown): Answered | undefined =>
  records.find((record) => record.id === id);

/** What an alert watches and whom it tells, in names, so that two stacks can be compared. */
async function alertsInNames(sandbox: Sandbox): Promise<string[]> {
  const [dashboards = [], searches = [], alerts = []] = await Promise.all(
    ["dashboards", "saved-searches", "alerts"].map((kind) => readSandbox(sandbox, kind)),
  );
  return alerts
    .map((alert) => {
      const dashboard = byId(dashboards, alert["dashboardId"]);
      const tile = tilesOf(dashboard).find(({ id }) => id === alert["tileId"]);
      const channels = ((alert["channels"] ?? [alert["channel"]]) as { webhookId: string }[]).map(
        ({ webhookId }) => sandbox.webhooks.find(({ id }) => id === webhookId)?.name,
      );
      const { threshold, thresholdMax, thresholdType, interval } = alert;
      return JSON.stringify([
        alert.name,
        dashboard?.name,
        tile?.name,
        byId(searches, alert["savedSearchId"])?.name,
        channels,
        threshold,
        thresholdMax,
        thresholdType,
        interval,
      ]);
    })
    .toSorted();
}

/** What every saved search looks for, and where, in names. */
async function searchesInNames(sandbox: Sandbox): Promise<string[]> {
  const [searches, sources] = [await readSandbox(sandbox, "saved-searches"), await readSandbox(sandbox, "sources")];
  return searches
    .map(({ name, sourceId, where, filters }) =>
      JSON.stringify([name, byId(sources, sourceId)?.name ?? "nowhere", where, filters]),
    )
    .toSorted();
}

/** Where every tile reads and every click leads, in names. */
async function tilesInNames(sandbox: Sandbox): Promise<string[]> {
  const [dashboards, sources] = await Promise.all([
    readSandbox(sandbox, "dashboards"),
    readSandbox(sandbox, "sources"),
  ]);
  return dashboards
    .flatMap((dashboard) =>
      tilesOf(dashboard).map(({ name, config: { sourceId, onClick } }) => {
        const led = onClick?.target.id;
        const leads = led && (byId(dashboards, led)?.name ?? byId(sources, led)?.name ?? "nowhere");
        return JSON.stringify([dashboard.name, name, sourceId && (byId(sources, sourceId)?.name ?? "nowhere"), leads]);
      }),
    )
    .toSorted();
}

const directions = [
  ["self-hosted", "managed"],
  ["managed", "self-hosted"],
] as const;

describe.each(directions)("export from %s, import to %s", (fromVariant, toVariant) => {
  it("brings everything, bound to the right things, with the fewest requests", async () => {
    await using stacks = await twoStacks(
      { variant: fromVariant, seed: "sample" },
      { variant: toVariant, seed: "bare" },
    );
    const { from, to, cwd, json } = stacks;
    await writeFile(join(cwd, "map.yaml"), webhookMap(from, to));
    const pipes = from.pipeIds ?? [];
    const exported = await json(`export --from $FROM --out a.zip ${pipes.map((id) => `--pipe ${id}`).join(" ")}`);
    expect(exported).toMatchObject({ ok: true, exitCode: 0 });
    // One per list page, one per pipe, and one record singly of each kind that can be read so. Managed stacks have no connections.
    expect(from.stats().total).toBe((from.variant === "managed" ? 5 + 4 : 6 + 5) + pipes.length);

    const onto = "import a.zip --to $TO --map map.yaml --create saved-searches";
    const { outcomes, ok } = (await json(onto)) as {
      ok: boolean;
      outcomes: { kind: string; action: string; status: string }[];
    };
    expect(ok).toBe(true);
    const kinds = ["dashboards", "saved-searches", "alerts"];
    const written = outcomes.filter(({ kind }) => kinds.includes(kind));
    expect(written.every(({ action, status }) => action === "create" && status === "done")).toBe(true);
    const [dashboards = [], searches = [], alerts = []] = await Promise.all(
      kinds.map((kind) => readSandbox(from, kind)),
    );
    expect([dashboards.length, searches.length, alerts.length]).toEqual([9, 2, 14]);
    expect(written).toHaveLength(9 + 2 + 14);
    const inCycle = 3;
    expect(to.stats().total).toBeLessThanOrEqual(written.length + 8 + inCycle);

    expect(await alertsInNames(to)).toEqual(await alertsInNames(from));
    expect(await tilesInNames(to)).toEqual(await tilesInNames(from));
    expect(await searchesInNames(to)).toEqual(await searchesInNames(from));
    const target = await textOfSandbox(to);
    const ids = [
      ...dashboards,
      ...searches,
      ...alerts,
      ...(await readSandbox(from, "sources")),
      ...from.webhooks,
      ...dashboards.flatMap(tilesOf),
    ];
    for (const { id } of ids) expect(target).not.toContain(id);
    expect(await tilesInNames(to)).not.toContain("nowhere");

    const before = to.stats().total;
    // Saved searches are created, never updated: those that are there are matched.
    expect(await json(onto)).toMatchObject({ ok: true, counts: { unchanged: dashboards.length + alerts.length } });
    expect(to.stats().total - before).toBeLessThanOrEqual(to.variant === "managed" ? 5 : 6);
    expect(await textOfSandbox(to)).toBe(target);
  });
});
