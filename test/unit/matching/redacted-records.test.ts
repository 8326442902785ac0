import { describe, expect, it } from "vitest";
import { ignoreEvents } from "../../../src/core/events.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { recordKey } from "../../../src/core/records/record.ts";
import { memoryJournal } from "../../../src/journal/memory-journal.ts";
import { replayJournal } from "../../../src/journal/replay.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { readInventory } from "../../../src/matching/inventory.ts";
import { planRollback } from "../../../src/rollback/plan.ts";
import { filledIn } from "../../support/drafted-secrets.ts";
import { importInto, planInto } from "../../support/import-into.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../../support/stack-records.ts";

const sources = [source(hexId("a", 1), "Logs", hexId("c", 1))];
const webhooks = [webhook(hexId("a", 2), "oncall")];
const POINTER = "/tiles/0/config/markdown";
const MARK = "«redacted:assigned-secret»";

const markdownTile = (markdown: string, id = hexId("d", 1)): JsonObject => ({
  id,
  name: "Notes",
  x: 0,
  y: 0,
  w: 6,
  h: 3,
  config: { displayType: "markdown", markdown },
});
const runbook = (markdown: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", 16), "Runbook", "", { tiles: [markdownTile(markdown)], ...more });
const key = recordKey("dashboards", hexId("a", 16));
const archiveOf = (body: JsonObject) => records({ dashboards: [body], sources, webhooks });
const target = (dashboards: JsonObject[] = []): MemoryStack =>
  memoryStack({ dashboards, alerts: [], sources, webhooks });
const there = (markdown: string, more: JsonObject = {}): JsonObject => ({
  ...runbook(markdown, more),
  id: hexId("b", 16),
});

describe("a record with a placeholder", () => {
  it("is blocked, with what it needs in the plan, and so is what needs it", async () => {
    const body = runbook(`password: ${MARK}, or «redacted:jwt»`);
    const busy = alert(hexId("a", 32), "Busy", body, hexId("a", 2));
    const stack = target();
    const plan = await planInto(stack, [...archiveOf(body), ...records({ alerts: [busy] })]);
    expect(plan.items.map(({ action, code }) => [action, code]).slice(0, 2)).toEqual([
      ["blocked", "redacted"],
      ["blocked", "dependency-blocked"],
    ]);
    const around = [`password: ${MARK}, or «redacted:jwt»`, `password: ${MARK}, or «redacted:jwt»`];
    const rules = ["assigned-secret", "jwt"];
    expect(plan.missingSecrets).toEqual([
      { key, name: "Runbook", pointer: POINTER, rules, around, context: expect.any(String) },
    ]);
  });

  it.each([
    [`password: ${MARK}`, ["s3cret «not a mark»"], "password: s3cret «not a mark»"],
    [`a ${MARK} b ${MARK} c`, ["$&", ""], "a $& b  c"],
    [MARK, ["all of it"], "all of it"],
  ])("is written once it is filled in: %s", async (text, values, expected) => {
    const stack = target();
    const { records: filled, warnings } = filledIn(archiveOf(runbook(text)), { [key]: { [POINTER]: values } });
    expect(warnings).toEqual([]);
    await importInto(stack, filled);
    expect([...(stack.records.get("dashboards")?.values() ?? [])]).toMatchObject([
      { name: "Runbook", tiles: [{ config: { markdown: expected } }] },
    ]);
  });

  it("gets a number back where it had one", () => {
    const body = runbook("", { passcode: "«redacted:credential-number»" });
    const [first] = filledIn(archiveOf(body), { [key]: { "/passcode": ["471147"] } }).records;
    expect(first?.body["passcode"]).toBe(471_147);
  });

  it("keeps its name as the archive has it, for everything that is printed", () => {
    const [first] = filledIn(records({ dashboards: [{ ...runbook(""), name: `pwd ${MARK}` }] }), {
      [key]: { "/name": ["s3cret"] },
    }).records;
    expect([first?.name, first?.body["name"]]).toEqual([`pwd ${MARK}`, "pwd s3cret"]);
  });

  it.each([
    ["a record that is not there", "dashboards/none", { [POINTER]: ["x"] }],
    ["a place without one", key, { "/tiles/0/name": ["x"] }],
    ["another number of values", key, { [POINTER]: ["x", "y"] }],
  ] as const)("warns of values for %s", (_, at, values) => {
    const { warnings, records: same } = filledIn(archiveOf(runbook(MARK)), { [at]: values });
    expect(warnings.map(({ code }) => code)).toEqual(["secret-unused"]);
    expect(same[0]?.body).toEqual(runbook(MARK));
  });
});

describe("a record with a placeholder that the target has", () => {
  it.each(["skip", "update", "duplicate"] as const)(
    "is unchanged where all the rest is equal (%s)",
    async (onConflict) => {
      const stack = target([there("see: password: s3cret, ask")]);
      const plan = await planInto(stack, archiveOf(runbook(`see: password: ${MARK}, ask`)), { onConflict });
      expect(plan.items[0]).toMatchObject({ action: "unchanged", targetId: hexId("b", 16) });
      expect(plan.missingSecrets).toEqual([]);
    },
  );

  it("is told apart from one of the same name by what is around the secret", async () => {
    const stack = target([there("password: one, here"), { ...there("password: two, there"), id: hexId("b", 17) }]);
    const plan = await planInto(stack, archiveOf(runbook(`password: ${MARK}, there`)));
    expect(plan.items[0]).toMatchObject({ action: "unchanged", targetId: hexId("b", 17) });
  });

  it.each([
    ["skip", "skip", "exists"],
    ["update", "blocked", "redacted"],
    ["duplicate", "blocked", "redacted"],
  ] as const)("is not written over it where it differs: --on-conflict %s → %s", async (onConflict, action, code) => {
    const stack = target([there("password: s3cret")]);
    const plan = await planInto(stack, archiveOf(runbook(`Password: ${MARK}`)), { onConflict });
    expect(plan.items[0]).toMatchObject({ action, code });
  });
});

describe("the journal of an update", () => {
  it("does not hold the secrets of what was there, so a rollback leaves that to people", async () => {
    const stack = target([there("password: hunter2!xY")]);
    const journal = memoryJournal();
    const { outcomes } = await importInto(stack, archiveOf(runbook("nothing")), { onConflict: "update" }, journal);
    expect(outcomes[0]).toMatchObject({ action: "update", status: "done" });
    expect(JSON.stringify(journal.appended)).not.toContain("hunter2");
    const inventory = await readInventory(stack.client, kinds, { events: ignoreEvents });
    const { items } = planRollback({ state: replayJournal(journal.appended), inventory, force: true });
    expect(items).toMatchObject([{ action: "skip", code: "redacted" }]);
  });

  it("holds what was there where that has none", async () => {
    const stack = target([there("before")]);
    const journal = memoryJournal();
    await importInto(stack, archiveOf(runbook("after")), { onConflict: "update" }, journal);
    const inventory = await readInventory(stack.client, kinds, { events: ignoreEvents });
    const { items } = planRollback({ state: replayJournal(journal.appended), inventory, force: false });
    expect(items).toMatchObject([{ action: "update", previous: { name: "Runbook" } }]);
  });
});
