import { describe, expect, it } from "vitest";
import type { SandboxOptions, SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { documentOf } from "../support/run-cli.ts";
import { alert, dashboard, hexId, asListedBy, source, tileWith, webhook } from "../support/stack-records.ts";
import { programForTwoStacks } from "../support/program.ts";

// test/behaviour/writes/validation.test.ts has the decisions. These tests show when a target is asked, and how a server words
// its faults.

const [LOGS, MAIN, HOOK] = [hexId("a", 1), hexId("a", 8), hexId("a", 2)];
const good = dashboard(hexId("a", 16), "Good", LOGS);
const line = { displayType: "line", sourceId: LOGS, select: [{ aggFn: "count" }] };
const box = { id: "box", title: "Box", collapsed: false };
const odd = dashboard(hexId("a", 17), "Odd", LOGS, {
  tiles: [tileWith(hexId("c", 1), "T", line)],
  containers: [box, box],
});
const linked = (number: number, name: string, to: number): JsonObject => {
  const onClick = { type: "dashboard", target: { mode: "id", id: hexId("a", to) }, whereLanguage: "sql" };
  const config = { displayType: "table", sourceId: LOGS, select: [{ aggFn: "count" }], onClick };
  return dashboard(hexId("a", number), name, LOGS, { tiles: [tileWith(hexId("c", number), "T", config)] });
};

const target = { sources: [source(LOGS, "Logs", MAIN)], webhooks: [webhook(HOOK, "pager", "slack")] };
const connections = [{ id: MAIN, name: "Main", host: "http://db:8123", username: "reader" }];

async function pair(seed: SandboxSeed, to: Partial<SandboxOptions> = {}, create = "none") {
  const variant = to.variant ?? "self-hosted";
  const targetSeed = { ...target, connections };
  const stacks = await programForTwoStacks(
    { variant, ids: "hex", seed: { ...targetSeed, ...seed } },
    { variant, ids: "hex", seed: targetSeed, ...to },
  );
  const requests = (route: string) => stacks.to.stats().byRoute[route] ?? 0;
  return {
    ...stacks,
    asked: () => requests("POST dashboards/validate"),
    created: () => requests("POST dashboards"),
    outcomes: async (flags: string) => {
      const run = documentOf(await stacks.run(`migrate --from $FROM --to $TO --create ${create} --json ${flags}`));
      const outcomes = run["outcomes"] as readonly { name: string; action: string; code?: string; message?: string }[];
      return new Map(outcomes.map((outcome) => [outcome.name, outcome]));
    },
  };
}

describe.each(["self-hosted", "managed"] as const)("validation by a %s target before the import", (variant) => {
  const alerts = [alert(hexId("a", 32), "On odd", odd, HOOK, { tileId: hexId("c", 1) })];
  const seed = asListedBy(variant, { dashboards: [good, odd], alerts });

  it("takes place in a dry run, and not in a small run that writes", async () => {
    await using stacks = await pair(seed, { variant });
    const { asked, created, outcomes } = stacks;
    const planned = await outcomes("--dry-run");
    expect(planned.get("Odd")).toMatchObject({ action: "blocked", code: "would-be-refused" });
    expect(planned.get("Odd")?.message).toContain("containers");
    expect([planned.get("Good")?.action, asked(), created()]).toEqual(["create", 2, 0]);
    const done = await outcomes("--yes");
    expect(done.get("Odd")).toMatchObject({ code: "rejected" });
    expect(done.get("Good")).toMatchObject({ action: "create", status: "done" });
    expect(asked()).toBe(2);
  });
});

it("a reference to a record that the run creates later is valid: a link, and a new source", async () => {
  const dashboards = [linked(16, "One", 17), linked(17, "Two", 16), linked(18, "Three", 16)];
  await using stacks = await pair({ dashboards }, { seed: { connections } }, "all");
  const planned = await stacks.outcomes("--dry-run");
  for (const name of ["One", "Two", "Three"]) expect(planned.get(name)).toMatchObject({ action: "create" });
  expect(stacks.asked()).toBe(3);
});
