import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { importStage, outcomeOf, storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { loseAnswer, memoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../support/stack-records.ts";

// The web interface keeps the blanks around a name, and the API takes them away (docs/api.md#dashboards).

const NAMES = [" Errors", "Errors ", "\tErrors \n", " Errors"];
const trimming = (stack: MemoryStack): MemoryStack =>
  Object.assign(stack, { keep: (_: string, body: JsonObject) => ({ ...body, name: String(body["name"]).trim() }) });
const board = (name: string) => dashboard(hexId("a", 16), name, hexId("a", 1));
const search = (name: string) => ({ id: hexId("a", 5), name, sourceId: hexId("a", 1), where: "x", tags: [] });
const all = (name: string) => ({
  connections: [{ id: hexId("c", 1), name, host: "http://ch:8123", username: "default" }],
  sources: [source(hexId("a", 1), name, hexId("c", 1))],
  webhooks: [webhook(hexId("a", 2), name)],
  "saved-searches": [search(name)],
  dashboards: [board(name)],
  alerts: [alert(hexId("a", 32), name, board(name), hexId("a", 2))],
});
const create = ["connections", "sources", "webhooks", "saved-searches"] as const;
const empty = { connections: [], sources: [], webhooks: [], "saved-searches": [], dashboards: [], alerts: [] };
const update = {
  onConflict: "update",
  create,
  source: { variant: "self-hosted", baseUrl: "http://other.test" },
} as const;
const none = [{ value: null }];
const answers = { "/password": none, "/headers": none, "/queryParams": none };
const secrets = { [`connections/${hexId("c", 1)}`]: answers, [`webhooks/${hexId("a", 2)}`]: answers };

describe.each(NAMES)("records with the name %j", (name) => {
  it("are made once, without their blanks, and are unchanged from then on, with and without a journal", async () => {
    const stack = trimming(memoryStack(empty));
    const stage = importStage(stack);
    const first = await stage.run(records(all(name)), { ...update, secrets });
    expect(first.exitCode).toBe(0);
    for (const kind of Object.keys(empty)) expect(storedRecords(stack, kind)).toMatchObject([{ name: "Errors" }]);
    for (const history of [undefined, []]) {
      if (history !== undefined) stage.history.length = 0;
      stack.requests.length = 0;
      const again = await stage.run(records(all(name)), { ...update, secrets });
      expect(writesOn(stack)).toEqual([]);
      const ends = again.plan.items.map(({ kind, action, code }) => [kind, `${action} ${code ?? ""}`.trim()]);
      expect(Object.fromEntries(ends)).toEqual({
        alerts: "unchanged",
        connections: "skip matched",
        dashboards: "unchanged",
        "saved-searches": "skip matched",
        sources: "skip matched",
        webhooks: "skip matched",
      });
      expect(ends).toHaveLength(6);
    }
  });

  it.each([...create, "dashboards", "alerts"])(
    "are found where the answer to their create was lost: %s",
    async (kind) => {
      const stack = trimming(memoryStack(empty));
      let lost = false;
      stack.interceptAfter = (operation) => {
        if (operation !== `create ${kind}` || lost) return;
        lost = true;
        throw loseAnswer();
      };
      const run = await importStage(stack).run(records(all(name)), { ...update, secrets });
      expect([lost, run.exitCode]).toEqual([true, 0]);
      expect(storedRecords(stack, kind)).toHaveLength(1);
    },
  );

  it.each([...create, "dashboards"])("are named in a map file with and without their blanks: %s", async (kind) => {
    const there = { ...all("Theirs"), alerts: [] };
    const ours = { ...all(name), dashboards: [{ ...board(name), tiles: [] }], alerts: [] };
    const bodies = Object.fromEntries(
      Object.entries(there).map(([each, list]) => [each, list.map((body) => ({ ...body, id: hexId("b", 7) }))]),
    );
    for (const from of [name, "Errors"]) {
      const mapping = { [kind]: { [from]: "Theirs " } };
      const run = await importStage(memoryStack(bodies)).run(records(ours), { ...update, secrets, mapping });
      expect(run.plan.items.find((item) => item.kind === kind)).toMatchObject({ targetId: hexId("b", 7) });
    }
  });
});

it("an alert of which only the blanks around the name differ from the target's is left as it is", async () => {
  const bodies = all("Errors");
  const stack = memoryStack({ ...bodies, alerts: bodies.alerts });
  const run = await importStage(stack).run(records(all(" Errors ")), { ...update, secrets });
  expect(outcomeOf(run, hexId("a", 32))).toMatchObject({ action: "unchanged" });
  expect(writesOn(stack)).toEqual([]);
});
