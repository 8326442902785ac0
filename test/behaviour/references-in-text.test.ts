import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, storedRecords, writesOn } from "../support/import-stage.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records } from "../support/stack-records.ts";
import { hook, theirHook } from "../support/usual-stacks.ts";

const notes = (letter: "a" | "b", number: number, name: string, markdown: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId(letter, number), name, "", {
    tiles: [{ id: hexId("d", number), name: "Notes", config: { displayType: "markdown", markdown } }],
    ...more,
  });
const target = (...dashboards: JsonObject[]): MemoryStack =>
  memoryStack({ dashboards, alerts: [], sources: [], webhooks: [] });
const textOf = (stack: MemoryStack, name: string): string =>
  JSON.stringify(storedRecords(stack, "dashboards").find((body) => body["name"] === name)?.["tiles"]);

describe("a record that a text only speaks of", () => {
  const index = notes("a", 17, "Index", `see ${hexId("a", 16)}`);

  it("makes no copy of the record that speaks of it when it is copied itself", async () => {
    const stack = target(notes("a", 16, "One", "x", { tags: ["changed"] }), index);
    const archive = records({ dashboards: [notes("a", 16, "One", "x"), index] });
    const run = await importStage(stack).run(archive, { onConflict: "duplicate" });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "create" });
    expect(outcomeOf(run, "Index")).toMatchObject({ action: "unchanged" });
    expect(writesOn(stack)).toEqual(["create dashboards"]);
  });

  it("does not block what speaks of it when it is blocked itself, which keeps the id and says so", async () => {
    const twins = [notes("b", 20, "One", "1", { tags: ["1"] }), notes("b", 21, "One", "2", { tags: ["2"] })];
    const stack = target(...twins);
    const run = await importStage(stack).run(records({ dashboards: [notes("a", 16, "One", "x"), index] }));
    expect(outcomeOf(run, "One")).toMatchObject({ action: "blocked", code: "ambiguous-dashboard" });
    expect(outcomeOf(run, "Index")).toMatchObject({ action: "create", status: "done" });
    expect(textOf(stack, "Index")).toContain(hexId("a", 16));
    expect(run.plan.warnings).toMatchObject([{ code: "unmapped-id", pointer: "/tiles/0/config/markdown" }]);
  });

  it("is right as it is on the archive's own stack, which has it though the archive does not", async () => {
    const stack = target(notes("a", 16, "One", "x"), index);
    const archive = records({ dashboards: [{ ...index, tags: ["new"] }] });
    const run = await importStage(stack).run(archive, { onConflict: "update" });
    expect(outcomeOf(run, "Index")).toMatchObject({ action: "update", status: "done" });
    expect(run.plan.warnings).toEqual([]);
    expect(run.plan.items[0]?.rewrites ?? []).toEqual([]);
    expect(textOf(stack, "Index")).toContain(hexId("a", 16));
  });

  it("is followed wherever its id stands alone, in any case, and nowhere else", async () => {
    const id = hexId("a", 16);
    const text = `${id} ${id.toUpperCase()} (${id}) /d/${id}?x x${id} ${id}0 ${id}-a`;
    const stack = target();
    const archive = records({ dashboards: [notes("a", 16, "One", "x"), notes("a", 17, "Index", text)] });
    const run = await importStage(stack).run(archive);
    const one = String(outcomeOf(run, "One")?.targetId);
    expect(textOf(stack, "Index")).toContain(`"${one} ${one} (${one}) /d/${one}?x x${id} ${id}0 ${id}-a"`);
    expect(run.plan.items.find(({ name }) => name === "Index")?.rewrites).toEqual(["/tiles/0/config/markdown"]);
  });

  it("stands beside an id that nobody knows: that one stays as it is, and nothing is said of it", async () => {
    const [id, unknown] = [hexId("a", 16), hexId("e", 9)];
    const stack = target();
    const archive = records({ dashboards: [notes("a", 16, "One", "x"), notes("a", 17, "Index", `${unknown} ${id}`)] });
    const run = await importStage(stack).run(archive);
    expect(textOf(stack, "Index")).toContain(`"${unknown} ${String(outcomeOf(run, "One")?.targetId)}"`);
    expect(run.plan.warnings).toEqual([]);
    expect(run.plan.unresolved).toEqual([]);
  });
});

describe("an update that would replace a link in a text by an id that no record has", () => {
  const [dead, alive] = [hexId("e", 9), hexId("b", 30)];
  const there = [notes("b", 17, "Index", `[one](/dashboards/${alive})`), notes("b", 30, "One", "x")];

  it("is warned of, with the place and the record that the target links to", async () => {
    const archive = records({ dashboards: [notes("a", 17, "Index", `[one](/dashboards/${dead})`)] });
    const { plan } = await importStage(target(...there)).run(archive, { onConflict: "update" });
    expect(plan.items).toMatchObject([{ action: "update" }]);
    expect(plan.warnings).toMatchObject([{ code: "loses-link", pointer: "/tiles/0/config/markdown" }]);
    expect(plan.warnings[0]?.message).toContain(`the dashboard "Index" links to the dashboard "One" on the target`);
    expect(plan.warnings[0]?.message).toContain(dead);
  });

  it("is warned of if the archive has the record and the run does not create it", async () => {
    const link = `[one](/dashboards/${hexId("a", 30)})`;
    const archive = records({ dashboards: [notes("a", 17, "Index", link), notes("a", 30, "Other", "y")] });
    const filter = { include: [], exclude: ["Other"] };
    const { plan } = await importStage(target(...there)).run(archive, { onConflict: "update", filter });
    expect(plan.warnings.map(({ code }) => code).toSorted()).toEqual(["loses-link", "unmapped-id"]);
    expect(plan.warnings.find(({ code }) => code === "loses-link")?.message).toContain('the dashboard "Other"');
  });

  it.each([
    ["the archive has the record", `[one](/dashboards/${hexId("a", 30)})`, [notes("a", 30, "Other", "y")]],
    ["the text around the id is another one", `[two](/dashboards/${dead})`, []],
  ])("is not warned of where %s", async (_, text, others) => {
    const archive = records({ dashboards: [notes("a", 17, "Index", text), ...others] });
    const { plan } = await importStage(target(...there)).run(archive, { onConflict: "update" });
    expect(plan.items).toContainEqual(expect.objectContaining({ name: "Index", action: "update" }));
    expect(plan.warnings).toEqual([]);
  });
});

describe("an id that a member references and a text mentions", () => {
  it("is named as the kind of record that the member references", async () => {
    const dead = hexId("e", 9);
    const onClick = { type: "dashboard", target: { mode: "id", id: dead } };
    const tiles = [
      { id: hexId("d", 1), name: "Notes", config: { displayType: "markdown", markdown: `see ${dead}` } },
      { id: hexId("d", 2), name: "Table", config: { displayType: "table", onClick } },
    ];
    const archive = records({ dashboards: [dashboard(hexId("a", 17), "Index", "", { tiles })] });
    const { plan } = await importStage(target()).run(archive, { whole: new Set(["dashboards"]) });
    const [unmapped] = plan.warnings.filter(({ code }) => code === "unmapped-id");
    expect(unmapped?.message).toBe(
      'the dashboard "Index" keeps the id of a dashboard that has no counterpart on the target',
    );
  });
});

it("names an alert without a name by its id if its text keeps an id", async () => {
  const message = `see /dashboards/${hexId("a", 30)}`;
  const one = notes("a", 16, "One", "x");
  const archive = records({
    dashboards: [one, notes("a", 30, "Other", "y")],
    alerts: [alert(hexId("a", 32), null, one, hexId("a", 2), { message })],
    webhooks: [hook],
  });
  const stack = memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [theirHook] });
  const { plan } = await importStage(stack).run(archive, { filter: { include: [], exclude: ["Other"] } });
  const unmapped = plan.warnings.filter(({ code }) => code === "unmapped-id").map((warning) => warning.message);
  expect(unmapped).toEqual([expect.stringContaining(`the alert "${hexId("a", 32)}"`)]);
});
