import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, bodiesSentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import type { JsonObject, RunOptions } from "../support/import-stage.ts";
import { memoryStack, namesOn } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source } from "../support/stack-records.ts";
import { logs, dependencies } from "../support/import-samples.ts";

const elsewhere = { variant: "self-hosted", baseUrl: "http://elsewhere.test" } as const;
const board = dashboard(hexId("a", 16), "Checkout", hexId("a", 1));
const markdown = { displayType: "markdown", markdown: "Payments of the week" };
const payments: JsonObject = {
  ...dashboard(hexId("a", 16), "Payments", hexId("a", 1)),
  tiles: [{ id: hexId("d", 1), name: "Payments", x: 0, y: 0, w: 12, h: 6, config: markdown }],
};
const archive = records({ dashboards: [board], sources: [logs] });
const stackWith = (bodies: readonly JsonObject[], more: Record<string, readonly JsonObject[]> = {}): MemoryStack =>
  memoryStack({ dashboards: bodies, alerts: [], ...dependencies.ours, ...more });
const run = (stack: MemoryStack, options: RunOptions) => importStage(stack).run(archive, options);
// The memory stack gives no ids to tiles that an update adds, so its lists cannot be read after an update.
const update = { onConflict: "update", verify: false } as const;

describe("an id that two stacks share", () => {
  it.each(["skip", "update"] as const)("alone is no match, whatever --on-conflict %s says", async (onConflict) => {
    const stack = stackWith([payments]);
    const done = await run(stack, { onConflict, source: elsewhere });
    const outcome = outcomeOf(done, "Checkout");
    expect(outcome).toMatchObject({ action: "blocked", code: "ambiguous-dashboard" });
    for (const part of ['"Payments"', hexId("a", 16), "map file"]) expect(outcome?.message).toContain(part);
    expect(done.exitCode).toBe(3);
    expect(writesOn(stack)).toEqual([]);
  });

  it("is no match when both stacks are services at one address", async () => {
    const seed = { dashboards: [payments], alerts: [], sources: [logs] };
    const service = { variant: "managed", baseUrl: "http://memory.test", organizationId: "o", serviceId: "s" } as const;
    const done = await run(memoryStack(seed, "managed"), { ...update, source: service });
    expect(outcomeOf(done, "Checkout")).toMatchObject({ action: "blocked", code: "ambiguous-dashboard" });
    const { serviceId: _id, organizationId: _organization, ...same } = service;
    expect(outcomeOf(await run(memoryStack(seed, "managed"), { ...update, source: same }), "Checkout")).toMatchObject({
      action: "update",
    });
  });

  it("is a match if the map file says so, and the plan names both records", async () => {
    const stack = stackWith([payments]);
    const done = await run(stack, { ...update, source: elsewhere, mapping: { dashboards: { Checkout: "Payments" } } });
    expect(outcomeOf(done, "Checkout")).toMatchObject({ action: "update", status: "done", targetName: "Payments" });
    expect(storedRecords(stack, "dashboards")).toMatchObject([{ id: hexId("a", 16), name: "Checkout" }]);
  });

  it("does not keep --on-conflict duplicate from creating a copy", async () => {
    const stack = stackWith([payments]);
    const done = await run(stack, { onConflict: "duplicate", source: elsewhere });
    expect(outcomeOf(done, "Checkout")).toMatchObject({ action: "create", status: "done" });
    expect(namesOn(stack)).toEqual(["Payments", "Checkout"]);
  });

  it("is ignored when the name matches another record", async () => {
    const theirs = { ...board, id: hexId("b", 9), tags: ["theirs"] };
    const done = await run(stackWith([payments, theirs]), { ...update, source: elsewhere });
    expect(outcomeOf(done, "Checkout")).toMatchObject({ action: "update", targetId: hexId("b", 9) });
    expect(outcomeOf(done, "Checkout")).not.toHaveProperty("targetName");
  });

  it("decides between two records of one name, whatever their content", async () => {
    const there = [{ ...board, id: hexId("b", 9) }, board].map((body, n) => ({
      ...body,
      tiles: payments["tiles"] ?? [],
      tags: [`t${n}`],
    }));
    const done = await run(stackWith(there), { ...update, source: elsewhere });
    expect(outcomeOf(done, "Checkout")).toMatchObject({ action: "update", targetId: hexId("a", 16) });
  });

  it("tells two records of one name apart", async () => {
    const [one, two] = [9, 16].map((number) => ({ ...board, id: hexId("a", number), tags: [`t${number}`] }));
    const done = await run(stackWith([one, two] as JsonObject[]), { ...update, source: elsewhere });
    expect(outcomeOf(done, "Checkout")).toMatchObject({ action: "update", targetId: hexId("a", 16) });
  });

  it("matches a dashboard that has another name and the same tiles", async () => {
    const renamed = { ...board, name: "Checkout, old", tags: ["theirs"] };
    const done = await run(stackWith([renamed]), { ...update, source: elsewhere });
    expect(outcomeOf(done, "Checkout")).toMatchObject({ action: "update", targetName: "Checkout, old" });
  });

  it("is a sure match on the archive's own stack, and the plan names both records", async () => {
    const stack = stackWith([payments]);
    const done = await run(stack, update);
    expect(outcomeOf(done, "Checkout")).toMatchObject({ action: "update", status: "done", targetName: "Payments" });
    expect(bodiesSentTo(stack, "update dashboards")).toHaveLength(1);
  });

  it("does not match sources or webhooks", async () => {
    const other = source(hexId("a", 1), "Traces", hexId("c", 1), "otel_traces");
    const done = await run(stackWith([], { sources: [other] }), { source: elsewhere });
    expect(outcomeOf(done, "Checkout")).toMatchObject({ action: "blocked", code: "ambiguous-source" });
    expect(done.plan.unresolved).toMatchObject([
      { space: "sources", reason: "ambiguous", candidates: [{ name: "Traces" }] },
    ]);
    const own = await run(stackWith([], { sources: [other] }), {});
    expect(outcomeOf(own, "Checkout")).toMatchObject({ action: "create", status: "done" });
  });

  it("does not stand for a record that is not in the archive", async () => {
    const watching = alert(hexId("a", 32), "Busy", board, hexId("a", 2));
    const lone = records({ alerts: [watching], ...dependencies.ours });
    const there = stackWith([board]);
    const far = await importStage(there).run(lone, { source: elsewhere });
    expect(outcomeOf(far, "Busy")).toMatchObject({ action: "blocked", code: "missing-dashboard" });
    expect(outcomeOf(await importStage(there).run(lone), "Busy")).toMatchObject({ action: "create", status: "done" });
  });
});
