import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.ts";
import { importStage, storedRecords } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { undo, undoPlan } from "../support/resume-into.ts";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import {
  beforeFirst,
  callSandbox,
  changeTheOne,
  listRecords,
  outcomesOf,
  smallBench,
  theOne,
} from "../support/small-bench.ts";
import { alert, dashboard, hexId, records } from "../support/stack-records.ts";
import { logs, theirLogs } from "../support/usual-stacks.ts";

const outcomeOf = (run: Parameters<typeof outcomesOf>[0], wanted: string) =>
  outcomesOf(run).find(({ name }) => name === wanted) as { message?: string } | undefined;

/** Somebody hangs an alert on the dashboard of that name. */
async function hangAlert(bench: SmallBench, name: string, on: string): Promise<void> {
  const body = alert("", name, await theOne(bench.to, "dashboards", on), hexId("b", 2));
  const { id: _id, state: _state, ...sent } = body;
  await callSandbox(bench.to, "POST", "alerts", sent);
}

describe("a dashboard whose alert could not be deleted", () => {
  it("is not deleted either: the server would delete the alert with it", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    bench.watch = (request, proceed) =>
      request.route === "DELETE alerts/{id}" && request.routeCount === 1
        ? Response.json({ message: "no" }, { status: 400 })
        : proceed();
    const run = await bench.rollback();
    expect(run.exitCode).toBe(3);
    const refused = outcomesOf(run).find(({ code }) => code === "rejected")?.name ?? "";
    const watched = refused === "Quiet" ? "Three" : "One";
    expect(outcomeOf(run, refused)).toMatchObject({ kind: "alerts", status: "failed" });
    expect(outcomeOf(run, watched)).toMatchObject({ status: "failed", code: "dependency-failed" });
    expect(outcomeOf(run, watched)?.message).toContain(`the alert "${refused}"`);
    expect((await listRecords(bench.to, "alerts")).map(({ name }) => name)).toEqual([refused]);
    expect((await listRecords(bench.to, "dashboards")).map(({ name }) => name)).toEqual([watched]);
    bench.watch = (_, proceed) => proceed();
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 2 } });
  });
});

describe("a record that was changed after the plan and before its delete", () => {
  it("is left alone (changed-since, exit 3), and the others are deleted", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    bench.watch = beforeFirst(
      ({ method }) => method === "DELETE",
      () => changeTheOne(bench.to, "dashboards", "Three", { tags: ["in between"] }),
    );
    const run = await bench.rollback();
    expect(run.exitCode).toBe(3);
    expect(outcomeOf(run, "Three")).toMatchObject({ action: "delete", status: "failed", code: "changed-since" });
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["in between"]);
    expect(await listRecords(bench.to, "dashboards")).toHaveLength(1);
  });

  it("is left alone where an alert was hung on it by then (in-use), which would go with it", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    bench.watch = beforeFirst(
      ({ route }) => route === "DELETE alerts/{id}",
      () => hangAlert(bench, "Late", "Three"),
    );
    const run = await bench.rollback();
    expect(run.exitCode).toBe(3);
    expect(outcomeOf(run, "Three")).toMatchObject({ status: "failed", code: "in-use" });
    expect(outcomeOf(run, "Three")?.message).toContain('the alert "Late"');
    expect((await listRecords(bench.to, "alerts")).map(({ name }) => name)).toEqual(["Late"]);
  });

  it("takes one GET each, and one list of alerts for all dashboards", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    const seen: string[] = [];
    bench.watch = (request, proceed) => {
      seen.push(request.route);
      return proceed();
    };
    expect((await bench.rollback()).exitCode).toBe(0);
    const count = (route: string): number => seen.filter((each) => each === route).length;
    expect(count("DELETE dashboards/{id}")).toBe(3);
    expect(count("GET dashboards/{id}")).toBe(3);
    expect(count("GET alerts/{id}")).toBe(2);
    // Twice for the plan that is shown and the one that is carried out.
    expect(count("GET alerts")).toBe(3);
    expect(count("GET dashboards")).toBe(2);
  });
});

describe("what uses a record that is to be deleted", () => {
  it("is named by kind and name, three of them, and not counted where it is deleted too", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    const plan = await bench.rollback("--dry-run");
    expect(outcomesOf(plan).every(({ action }) => action === "delete")).toBe(true);
    for (const name of ["A1", "A2", "A3", "A4"]) await hangAlert(bench, name, "Three");
    const used = await bench.rollback("--dry-run");
    const { message = "" } = outcomeOf(used, "Three") ?? {};
    expect(message).toMatch(/the alert "A\d", the alert "A\d", the alert "A\d" and 1 more/);
    expect(message).not.toContain("Quiet");
  });
});

describe("a record whose creation by the import cannot be shown", () => {
  const sources = [theirLogs];
  const archive = records({ dashboards: [dashboard(hexId("a", 16), "One", hexId("a", 1))], sources: [logs] });
  async function imported() {
    const stack = memoryStack({ dashboards: [], alerts: [], sources, webhooks: [] });
    const stage = importStage(stack);
    await stage.run(archive);
    return { stack, entries: stage.history };
  }

  it("is left alone where the target says that it is older than the import, even under --force", async () => {
    const { stack, entries } = await imported();
    const [body = {}] = storedRecords(stack, "dashboards");
    const old = { ...body, createdAt: "2025-06-01T00:00:00.000Z" };
    stack.records.get("dashboards")?.set(String(body["id"]), old);
    for (const force of [false, true]) {
      expect(await undoPlan(stack, entries, force)).toMatchObject([{ action: "skip", code: "unproven" }]);
    }
    const young = { ...old, createdAt: "2026-01-01T00:00:00.000Z" };
    stack.records.get("dashboards")?.set(String(body["id"]), young);
    expect(await undoPlan(stack, entries)).toMatchObject([{ action: "delete" }]);
  });

  it("is shown by what the target says within a day of the import, and by what it does not say", async () => {
    const { stack, entries } = await imported();
    const [body = {}] = storedRecords(stack, "dashboards");
    const begun = Date.parse(entries.find(({ type }) => type === "intent")?.at ?? "");
    const day = 24 * 60 * 60_000;
    const actionOf = async (createdAt: JsonValue): Promise<unknown> => {
      stack.records.get("dashboards")?.set(String(body["id"]), { ...body, createdAt });
      return (await undoPlan(stack, entries, true)).map(({ action }) => action)[0];
    };
    expect(await actionOf(new Date(begun - day).toISOString())).toBe("delete");
    expect(await actionOf(new Date(begun - day - 1).toISOString())).toBe("skip");
    for (const none of [null, 0, "yesterday"]) expect(await actionOf(none)).toBe("delete");
  });

  it("is left alone where no line says that its create began", async () => {
    const { stack, entries } = await imported();
    const without = entries.filter(({ type }) => type !== "intent");
    expect((await undo(stack, without, { force: true })).outcomes).toMatchObject([{ code: "unproven" }]);
    expect(storedRecords(stack, "dashboards")).toHaveLength(1);
  });

  it("is shown under the name that the target has for it", async () => {
    const { stack, entries } = await imported();
    const renamed = entries.map((entry) => (entry.type === "intent" ? { ...entry, name: "Harmless" } : entry));
    expect(await undoPlan(stack, renamed)).toMatchObject([{ name: "One", action: "delete" }]);
  });
});
