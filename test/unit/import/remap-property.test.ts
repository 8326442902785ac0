import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { importInto } from "../../support/import-stage.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, webhook, archiveIds } from "../../support/stack-records.ts";
import { propertyRuns } from "../../support/tries.ts";
import { logs } from "../../support/import-samples.ts";

interface Shape {
  readonly links: readonly number[];
  readonly mentions: readonly number[];
  readonly alerts: number;
}

const shapes = fc.array(
  fc.record({
    links: fc.array(fc.nat(5), { maxLength: 2 }),
    mentions: fc.array(fc.nat(5), { maxLength: 2 }),
    alerts: fc.nat(2),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Returns a stack with one dashboard per shape. `links` and `mentions` are the numbers of the dashboards that it links to. */
function stackOf(shape: readonly Shape[]): Record<string, JsonObject[]> {
  const id = (number: number): string => hexId("a", 100 + (number % shape.length));
  const dashboards = shape.map(({ links, mentions }, index) =>
    dashboard(id(index), `Dashboard ${index}`, archiveIds.source, {
      tiles: [
        ...links.map((to, at) => ({
          id: hexId("d", index * 16 + at),
          name: `Link ${at}`,
          config: {
            displayType: "table",
            sourceId: archiveIds.source,
            onClick: { type: "dashboard", target: { mode: "id", id: id(to) } },
          },
        })),
        {
          id: hexId("e", index),
          name: "Text",
          config: { displayType: "markdown", markdown: mentions.map((to) => `/d/${id(to)} `).join("") },
        },
      ],
    }),
  );
  const alerts = shape.flatMap(({ alerts: count }, index) =>
    Array.from({ length: count }, (_, at) =>
      alert(hexId("b", index * 16 + at), `Alert ${index}`, dashboards[index] ?? {}, archiveIds.webhook),
    ),
  );
  return {
    dashboards,
    alerts,
    sources: [logs],
    webhooks: [webhook(archiveIds.webhook, "hook")],
  };
}

it("an import leaves no source id on the target, links each dashboard, and then repeats without writes", async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      const from = stackOf(shape);
      const archive = records(from);
      const target = memoryStack({
        dashboards: [],
        alerts: [],
        sources: [source("5555555555555555555555a1", "Logs", "5555555555555555555555c1")],
        webhooks: [webhook("5555555555555555555555a2", "hook")],
      });
      const { outcomes } = await importInto(target, archive);
      expect(outcomes.every(({ status }) => status === "done")).toBe(true);
      const stored = JSON.stringify([
        ...(target.records.get("dashboards")?.values() ?? []),
        ...(target.records.get("alerts")?.values() ?? []),
      ]);
      for (const { id } of archive) expect(stored).not.toContain(id);
      expect(stored).not.toMatch(/[abcde]{20}/);
      const nameOf = new Map([...(target.records.get("dashboards") ?? [])].map(([id, body]) => [id, body["name"]]));
      for (const body of target.records.get("dashboards")?.values() ?? []) {
        const index = Number(String(body["name"]).split(" ")[1]);
        const tiles = body["tiles"] as { config: { onClick?: { target: { id: string } } } }[];
        const linked = tiles.flatMap(({ config }) => (config.onClick ? [nameOf.get(config.onClick.target.id)] : []));
        expect(linked).toEqual(shape[index]?.links.map((to) => `Dashboard ${to % shape.length}`));
      }
      const writes = target.requests.filter(({ operation }) => /^(create|update)/.test(operation));
      expect(writes.length).toBeLessThanOrEqual(2 * (from["dashboards"]?.length ?? 0) + (from["alerts"]?.length ?? 0));
      target.requests.length = 0;
      await importInto(target, archive);
      expect(target.requests.filter(({ operation }) => !operation.startsWith("list"))).toEqual([]);
    }),
    propertyRuns(50),
  );
});
