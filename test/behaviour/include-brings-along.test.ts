import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { importStage, storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, refuse, answer } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../support/stack-records.ts";

const logs = source(hexId("b", 1), "Logs", hexId("c", 2));
const hook = webhook(hexId("b", 2), "oncall");
const overview = dashboard(hexId("b", 16), "Service overview", hexId("b", 1));
const onClick = { type: "dashboard", target: { mode: "id", id: hexId("b", 16) } };
const plain = dashboard(hexId("b", 17), "Start page", hexId("b", 1));
const link = { id: hexId("d", 90), name: "Table", config: { displayType: "table", sourceId: hexId("b", 1), onClick } };
const linking: JsonObject = { ...plain, tiles: [...(plain["tiles"] as JsonObject[]), link] };
const [busy, quiet] = ["Busy", "Quiet"].map((name, at) => alert(hexId("b", 32 + at), name, overview, hexId("b", 2)));
const others = alert(hexId("b", 40), "Of others", linking, hexId("b", 2));
const backup = records({
  dashboards: [overview, linking],
  alerts: [busy as JsonObject, quiet as JsonObject, others],
  sources: [logs],
  webhooks: [hook],
});

/** The stack of the backup, which has lost one dashboard with its alerts. */
const stackThatLost = (): MemoryStack =>
  memoryStack({ dashboards: [linking], alerts: [others], sources: [logs], webhooks: [hook] });

const named = (stack: MemoryStack): unknown[] =>
  [...storedRecords(stack, "dashboards"), ...storedRecords(stack, "alerts")].map(({ name }) => name);

describe("--include", () => {
  it("brings a dashboard back with its alerts, and nothing else", async () => {
    const stack = stackThatLost();
    const { exitCode } = await importStage(stack).run(backup, {
      filter: { include: ["Service overview"], exclude: [] },
    });
    expect(exitCode).toBe(0);
    expect(writesOn(stack).toSorted()).toEqual(["create alerts", "create alerts", "create dashboards"]);
    expect(named(stack)).toEqual(expect.arrayContaining(["Service overview", "Busy", "Quiet"]));
  });

  it.each([
    ["an alert that is excluded", { exclude: ["Quiet"] }, [], ["Service overview", "Busy"]],
    ["alerts of a kind that is not asked for", { exclude: [] }, ["dashboards"], ["Service overview"]],
  ] as const)("leaves %s, and the plan names it", async (_, { exclude }, kinds, expected) => {
    const stack = stackThatLost();
    const filter = { include: ["Service overview"], exclude };
    const { plan } = await importStage(stack).run(backup, { filter, kinds });
    expect(named(stack)).toHaveLength(2 + expected.length);
    expect(named(stack)).toEqual(expect.arrayContaining(["Start page", "Of others", ...expected]));
    const left = plan.warnings.filter(({ code }) => code === "left-behind");
    expect(left).toHaveLength(1);
    expect(left[0]?.message).toContain('"Quiet"');
  });
});

describe("--with-dependencies", () => {
  const filter = { include: ["Start page"], exclude: [] };
  const elsewhere = { variant: "self-hosted", baseUrl: "http://other.test" } as const;
  const bare = (): MemoryStack => memoryStack({ dashboards: [], alerts: [], sources: [logs], webhooks: [hook] });

  it("takes along what a dashboard links to, with its alerts, and names it", async () => {
    const stack = bare();
    const { plan, exitCode } = await importStage(stack).run(backup, {
      filter,
      withDependencies: true,
      source: elsewhere,
    });
    expect(exitCode).toBe(0);
    expect(new Set(named(stack))).toEqual(new Set(["Busy", "Of others", "Quiet", "Service overview", "Start page"]));
    const taken = plan.warnings.filter(({ code }) => code === "taken-along");
    expect(taken).toHaveLength(1);
    expect(taken[0]?.message).toContain('"Service overview"');
    expect(taken[0]?.message).not.toContain('"Start page"');
  });

  it("is needed: without it the link blocks the dashboard", async () => {
    const { plan } = await importStage(bare()).run(backup, { filter, source: elsewhere });
    expect(plan.items.find(({ name }) => name === "Start page")).toMatchObject({ code: "missing-dashboard" });
  });

  it("takes nothing along that is excluded", async () => {
    const stack = bare();
    const without = { include: ["Start page"], exclude: ["Quiet"] };
    await importStage(stack).run(backup, { filter: without, withDependencies: true, source: elsewhere });
    expect(named(stack)).not.toContain("Quiet");
  });

  it.each([
    [
      "excluded, with what only it needs",
      { include: ["Start page"], exclude: ["Service overview"] },
      [],
      /: the alert "Of others"$/,
    ],
    ["of another kind", filter, ["dashboards"], /Service overview"$/],
  ] as const)("names nothing that is %s", async (_, selection, kinds, named) => {
    const run = await importStage(bare()).run(backup, {
      filter: selection,
      kinds,
      withDependencies: true,
      source: elsewhere,
    });
    const taken = run.plan.warnings.filter(({ code }) => code === "taken-along").map(({ message }) => message);
    expect(taken.join("\n")).toMatch(named);
    expect(run.plan.items.map(({ name }) => name)).not.toContain("Busy");
  });

  it("takes the sources along that are created", async () => {
    const stack = memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [], connections: [] });
    const options = { filter, withDependencies: true, create: ["sources"], source: elsewhere };
    const { plan } = await importStage(stack).run(backup, options);
    expect(plan.items.filter(({ kind }) => kind === "sources").map(({ name }) => name)).toEqual(["Logs"]);
  });
});

describe("--only", () => {
  it("brings the bare dashboard back and names what it left out", async () => {
    const stack = stackThatLost();
    const filter = { include: [], only: ["Service overview"], exclude: [] };
    const { plan } = await importStage(stack).run(backup, { filter });
    expect(writesOn(stack)).toEqual(["create dashboards"]);
    const [left] = plan.warnings.filter(({ code }) => code === "left-behind");
    expect(left?.message).toMatch(/"Busy".*"Quiet"/);
  });

  it("that fits nothing is a mistake", async () => {
    const filter = { include: [], only: ["Service"], exclude: [] };
    await expect(importStage(stackThatLost()).run(backup, { filter })).rejects.toMatchObject({ code: "usage" });
  });
});

describe("a link of another dashboard to one that was lost", () => {
  it("is named, and the command that is named with it sets the link again", async () => {
    const stack = stackThatLost();
    const stage = importStage(stack);
    const { plan } = await stage.run(backup, { filter: { include: ["Service overview"], exclude: [] } });
    const [dead, ...more] = plan.warnings.filter(({ code }) => code === "dead-link");
    expect(more).toEqual([]);
    expect(dead?.message).toContain('--only "Start page" --on-conflict merge');
    const filter = { include: [], only: ["Start page"], exclude: [] };
    await stage.run(backup, { filter, onConflict: "merge" });
    const [made] = storedRecords(stack, "dashboards").filter(({ name }) => name === "Service overview");
    const [start] = storedRecords(stack, "dashboards").filter(({ name }) => name === "Start page");
    expect(made?.["id"]).not.toBe(hexId("b", 16));
    expect(start).toMatchObject({ tiles: [{}, { config: { onClick: { target: { id: made?.["id"] } } } }] });
  });

  it.each(["skip", "update", "merge"] as const)("is set by a run that restores both (%s)", async (onConflict) => {
    const stack = stackThatLost();
    const stage = importStage(stack, undefined, true);
    const { plan, exitCode } = await stage.run(backup, { onConflict });
    expect(exitCode).toBe(0);
    expect(plan.warnings.filter(({ code }) => code === "dead-link")).toEqual([]);
    expect(plan.items.filter(({ code }) => code === "relink")).toMatchObject([{ name: "Start page" }]);
    const [made] = storedRecords(stack, "dashboards").filter(({ name }) => name === "Service overview");
    expect(JSON.stringify(storedRecords(stack, "dashboards"))).not.toContain(hexId("b", 16));
    expect(JSON.stringify(stack.records.get("dashboards")?.get(hexId("b", 17)))).toContain(String(made?.["id"]));
    stack.requests.length = 0;
    await stage.run(backup, { onConflict });
    expect(writesOn(stack)).toEqual([]);
  });

  it.each(["skip", "merge"] as const)(
    "is set by the next run if the first could not set it (%s)",
    async (onConflict) => {
      const stack = stackThatLost();
      answer(stack, "update dashboards", () => refuse("rejected", "no"));
      const first = await importStage(stack).run(backup, { onConflict });
      expect(first.exitCode).toBe(3);
      stack.intercept = () => {};
      const { plan, exitCode } = await importStage(stack).run(backup, { onConflict });
      expect(exitCode).toBe(0);
      expect(plan.items.filter(({ action }) => action === "update")).toMatchObject([
        { name: "Start page", code: "relink" },
      ]);
      expect(JSON.stringify(storedRecords(stack, "dashboards"))).not.toContain(hexId("b", 16));
    },
  );

  it.each(["member", "text"] as const)("is left as it is if the lost one cannot be created (%s)", async (place) => {
    const notes = { displayType: "markdown", markdown: `see ${hexId("b", 16)}` };
    const pointing =
      place === "member" ? linking : { ...plain, tiles: [{ id: hexId("d", 91), name: "Notes", config: notes }] };
    const gone = source(hexId("b", 7), "Gone", hexId("c", 2));
    const blocked = dashboard(hexId("b", 16), "Service overview", hexId("b", 7));
    const archive = records({ dashboards: [blocked, pointing], sources: [logs, gone] });
    const stack = memoryStack({ dashboards: [pointing], alerts: [], sources: [logs], webhooks: [] });
    const { plan, exitCode } = await importStage(stack).run(archive);
    expect(exitCode).toBe(3);
    expect(plan.items).toContainEqual(expect.objectContaining({ name: "Start page", code: "dependency-blocked" }));
    expect(writesOn(stack)).toEqual([]);
  });

  it("is named where only a text has it, and set by the command that is named with it", async () => {
    const markdown = `[overview](/dashboards/${hexId("b", 16)})`;
    const notes = { id: hexId("d", 91), name: "Notes", config: { displayType: "markdown", markdown } };
    const reading = { ...plain, tiles: [notes] };
    const archive = records({ dashboards: [overview, reading], sources: [logs], webhooks: [hook] });
    const stack = memoryStack({ dashboards: [reading], alerts: [], sources: [logs], webhooks: [hook] });
    const stage = importStage(stack, undefined, true);
    const { plan } = await stage.run(archive, { filter: { include: ["Service overview"], exclude: [] } });
    expect(plan.warnings).toMatchObject([{ code: "dead-link" }]);
    expect(plan.warnings[0]?.message).toContain('--only "Start page" --on-conflict merge');
    await stage.run(archive, { filter: { include: [], only: ["Start page"], exclude: [] }, onConflict: "merge" });
    expect(JSON.stringify(storedRecords(stack, "dashboards"))).not.toContain(hexId("b", 16));
  });

  describe("if that is a source", () => {
    const archive = records({ dashboards: [overview], sources: [{ ...logs, connection: undefined }] });
    const withoutSource = (): MemoryStack =>
      memoryStack({ dashboards: [overview], alerts: [], sources: [], "saved-searches": [] });

    it("is named while nothing creates it", async () => {
      const { plan } = await importStage(withoutSource()).run(archive);
      expect(plan.items).toMatchObject([{ kind: "dashboards", action: "unchanged" }, { code: "unmatched" }]);
      expect(plan.warnings).toEqual([
        {
          code: "dead-link",
          message:
            'the source "Logs" is not on the target, but the dashboard "Service overview" links to it there; --create sources creates it and sets the link',
        },
      ]);
    });

    it("is to be set by hand in a saved search, which no run updates", async () => {
      const search = { id: hexId("b", 60), name: "Errors", sourceId: String(logs["id"]) };
      const bare = dashboard(hexId("b", 18), "Bare", "", { tiles: [] });
      const stack = memoryStack({ dashboards: [bare], alerts: [], sources: [], "saved-searches": [search] });
      const unconnected = { ...logs, connection: undefined };
      const searches = records({ dashboards: [bare], "saved-searches": [search], sources: [unconnected] });
      const told = async (create: string[]): Promise<string[]> => {
        const { plan } = await importStage(stack).run(searches, { create });
        return plan.warnings.flatMap(({ code, message: text }) => (code === "dead-link" ? [text] : []));
      };
      const [missing, ...more] = await told([]);
      expect(missing).toMatch(/"Logs" .*"Errors" .*; set the link by hand$/);
      const narrowed = await importStage(stack).run(searches, { filter: { include: ["Bare"], exclude: [] } });
      expect(narrowed.plan.warnings.filter(({ code }) => code === "dead-link")).toEqual([]);
      const [former, ...others] = await told(["sources"]);
      expect(former).toMatch(/"Errors" .*"Logs".*: set the link by hand$/);
      expect([...more, ...others]).toEqual([]);
    });

    it("is set by the run that creates it", async () => {
      const stack = withoutSource();
      const { plan } = await importStage(stack).run(archive, { create: ["sources"] });
      expect(plan.warnings).toEqual([]);
      expect(plan.items).toMatchObject([
        { kind: "sources", action: "create" },
        { kind: "dashboards", action: "update", code: "relink" },
      ]);
      const [made] = storedRecords(stack, "sources");
      expect(JSON.stringify(storedRecords(stack, "dashboards"))).toContain(String(made?.["id"]));
      expect(JSON.stringify(storedRecords(stack, "dashboards"))).not.toContain(String(logs["id"]));
    });
  });

  it("is named for an alert whose tile is gone from a dashboard that stays as it is", async () => {
    const tileless = { ...overview, tiles: [] };
    const stack = memoryStack({
      dashboards: [tileless],
      alerts: [busy as JsonObject],
      sources: [logs],
      webhooks: [hook],
    });
    const archive = records({
      dashboards: [overview],
      alerts: [busy as JsonObject],
      sources: [logs],
      webhooks: [hook],
    });
    const { plan } = await importStage(stack).run(archive);
    expect(plan.warnings).toEqual([
      {
        code: "dead-link",
        message:
          'a tile of the dashboard "Service overview" is not on the target, but the alert "Busy" links to it there',
      },
    ]);
  });

  it("is not named on another stack, where the same id means nothing", async () => {
    const source = { variant: "self-hosted", baseUrl: "http://other.test" } as const;
    const filter = { include: ["Service overview"], exclude: [] };
    const theirs = { ...linking, id: hexId("e", 1), name: "Theirs" };
    const stack = memoryStack({ dashboards: [theirs], alerts: [], sources: [logs], webhooks: [hook] });
    const elsewhere = await importStage(stack).run(backup, { filter, source });
    expect(elsewhere.plan.warnings.filter(({ code }) => code === "dead-link")).toEqual([]);
  });

  it("is named with the id of a record that has no name", async () => {
    const stack = memoryStack({
      dashboards: [{ ...linking, name: "" }],
      alerts: [],
      sources: [logs],
      webhooks: [hook],
    });
    const archive = records({ dashboards: [overview, { ...linking, name: "" }], sources: [logs], webhooks: [hook] });
    const filter = { include: ["Service overview"], exclude: [] };
    const { plan } = await importStage(stack).run(archive, { filter });
    const [dead] = plan.warnings.filter(({ code }) => code === "dead-link");
    expect(dead?.message).toContain(`--only "${hexId("b", 17)}" --on-conflict merge`);
  });

  it("is not named where copies are made beside the originals", async () => {
    const stack = memoryStack({ dashboards: [overview, linking], alerts: [others], sources: [logs], webhooks: [hook] });
    const { plan } = await importStage(stack).run(backup, { naming: { namePrefix: "Copy ", tags: [] } });
    expect(plan.items.filter(({ action }) => action === "create").length).toBeGreaterThan(2);
    expect(plan.warnings.filter(({ code }) => code === "dead-link")).toEqual([]);
  });
});
