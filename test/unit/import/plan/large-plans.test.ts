import { describe, expect, it } from "vitest";
import { ignoreEvents } from "../../../../src/core/events.ts";
import type { Plan } from "../../../../src/core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../../../src/core/records/record.ts";
import type { Decision } from "../../../../src/import/plan/decide/decision.ts";
import { planRecords } from "../../../../src/import/plan/plan-import.ts";
import { propagateBlocks } from "../../../../src/import/plan/resolve-references.ts";
import { kinds } from "../../../../src/kinds/registry.ts";
import { dashboards as kind } from "../../../../src/kinds/dashboards.ts";
import { readInventory, type Inventory } from "../../../../src/matching/inventory.ts";
import { indexArchive } from "../../../../src/references/archive-index.ts";
import { plainImport } from "../../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../../support/memory-stack.ts";
import { alert, archiveIds, dashboard, hexId, records } from "../../../support/stack-records.ts";
import { hook, logs } from "../../../support/import-samples.ts";
import { planMembers } from "../../../../src/cli/import/result.ts";

const MANY = 120;
const numbers = Array.from({ length: MANY }, (_, number) => number);
const sources = [logs];
const hooks = [hook];

async function planOnto({ client }: MemoryStack, archive: readonly StackRecord[]): Promise<Plan> {
  const inventory = await readInventory(client, kinds, { events: ignoreEvents });
  return planRecords({ records: archive, source: inventory.stack, inventory, options: plainImport });
}

describe("a plan with many unmatched records", () => {
  const elsewhere = numbers.map((number) => dashboard(hexId("b", number), `Theirs ${number}`, archiveIds.source));
  const stack = memoryStack({ dashboards: elsewhere, alerts: [], sources, webhooks: hooks });

  it("shares one list of candidates among all references of a kind, and its JSON lists the first 50", async () => {
    const lost = numbers.map((number) => dashboard(hexId("d", number), `Lost ${number}`, archiveIds.source));
    const alerts = lost.map((body, number) => alert(hexId("a", 500 + number), `A ${number}`, body, archiveIds.webhook));
    const plan = await planOnto(stack, records({ alerts, sources, webhooks: hooks }));
    const ofDashboards = plan.unresolved.filter(({ space }) => space === "dashboards");
    expect(ofDashboards).toHaveLength(MANY);
    expect(new Set(ofDashboards.map(({ candidates }) => candidates)).size).toBe(1);
    expect(ofDashboards[0]?.candidates).toHaveLength(MANY);
    const { unresolved } = JSON.parse(JSON.stringify(planMembers(plan, [])));
    expect(unresolved[0].candidates).toHaveLength(50);
    expect(unresolved[0].moreCandidates).toBe(MANY - 50);
    // The plan itself keeps all candidates, because a user who is asked chooses among them.
    expect(plan.unresolved[0]?.candidates).toHaveLength(MANY);
  });

  it("lists five of the target's records that an ambiguous dashboard could be, and counts the rest", async () => {
    const same = (letter: "b" | "d", tag: string) =>
      numbers.map((number) =>
        dashboard(hexId(letter, number), "My Dashboard", archiveIds.source, { tags: [`${tag}${number}`] }),
      );
    const target = memoryStack({ dashboards: same("b", "theirs"), alerts: [], sources, webhooks: hooks });
    const plan = await planOnto(target, records({ dashboards: same("d", "ours"), sources, webhooks: hooks }));
    const messages = plan.items.flatMap(({ code, message }) => (code === "ambiguous" ? [message ?? ""] : []));
    expect(messages).toHaveLength(MANY);
    expect(messages[0]).toContain(`and ${MANY - 5} more`);
  });
});

it("propagating a block resolves the references of only the records that point to a blocked one", async () => {
  const linked = numbers.map((number) => {
    const onClick = { type: "dashboard", target: { mode: "id", id: hexId("d", number + 1) } };
    const body = dashboard(hexId("d", number), `D ${number}`, archiveIds.source);
    return { ...body, tiles: [{ id: hexId("e", number), config: { sourceId: archiveIds.source, onClick } }] };
  });
  const archive = await indexArchive(records({ dashboards: linked, sources }));
  const created = new Map<RecordKey, Decision>(
    (archive.byKind.get("dashboards") ?? []).map((record) => [
      `dashboards/${record.id}`,
      { kind, record, action: "create" },
    ]),
  );
  let asked = 0;
  const needs = { hard: new Set<RecordKey>(), soft: new Set<RecordKey>() };
  const { resolutions, blockers } = await propagateBlocks(created, archive, ({ record }, decisions) => {
    asked += 1;
    const next = decisions.get(`dashboards/${hexId("d", Number.parseInt(record.id.slice(-4), 16) + 1)}`);
    const isBlocked = next === undefined || next.action === "blocked";
    const whys = isBlocked ? [{ code: "dependency-blocked" as const, message: "blocked" }] : [];
    return { needs, blockers: whys, warnings: [], leftOut: [] };
  });
  expect(resolutions.size).toBe(0);
  expect(blockers).toHaveLength(MANY);
  expect(asked).toBe(2 * MANY - 1);
});

it("copying a chain of linked dashboards reads each body a bounded number of times", async () => {
  let asked = 0;
  const chain = (letter: "a" | "b", tag: string): StackRecord[] =>
    numbers.map((number) => {
      const id = hexId(letter, number);
      const isLast = number === MANY - 1;
      const onClick = { type: "dashboard", target: { mode: "id", id: hexId(letter, number + 1) } };
      const config = { displayType: "markdown", markdown: "x", ...(!isLast && { onClick }) };
      const body = {
        id,
        name: id,
        tags: isLast ? [tag] : [],
        filters: [],
        tiles: [{ id: hexId("e", number), config }],
      };
      return {
        kind: "dashboards",
        id,
        name: `D ${number}`,
        get body() {
          asked += 1;
          return { ...body, name: `D ${number}` };
        },
      };
    });
  const inventory: Inventory = {
    stack: { variant: "self-hosted", baseUrl: "http://target.test" },
    kinds: new Map([["dashboards", { status: "complete", records: chain("b", "theirs") }]]),
  };
  const options = { ...plainImport, namePrefix: "Copy: " };
  const { items } = await planRecords({ records: chain("a", "ours"), inventory, options });
  expect(items.map(({ action }) => action)).toEqual(numbers.map(() => "create"));
  expect(asked).toBeLessThan(40 * MANY);
});
