import { describe, expect, it } from "vitest";
import { alertedOverview, board, dependencies, update, usualTarget } from "../../support/import-samples.ts";
import { outcomeLines, writesOn, type JsonObject } from "../../support/import-stage.ts";
import { failOperation, namesOn, putRecord, refusalError } from "../../support/memory-stack.ts";
import { addAlertOn } from "../../support/mirror-stage.ts";
import { changeOn, recordOn } from "../../support/on-stack.ts";
import { importOnce, planLines, planRollbackOf, rollBackJournal } from "../../support/rollback-runs.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  linkingTable,
  records,
  targetIds,
  tileOf,
  tileWith,
} from "../../support/stack-records.ts";

const watched = alertedOverview("Watching");

describe("a created record that others use", () => {
  it("stays under somebody's alerts, which are named, also under --force", async () => {
    const { stack, entries } = await importOnce(watched);
    const theirs = [1, 2, 3, 4].map((number) => `A${number}`);
    const overview = recordOn(stack, "dashboards", "Overview");
    for (const [index, name] of theirs.entries())
      putRecord(stack, "alerts", alert(hexId("e", index), name, overview, targetIds.webhook));
    const planned = (await planRollbackOf(stack, entries)).find(({ name }) => name === "Overview");
    expect(planned).toMatchObject({ action: "blocked", code: "in-use" });
    for (const name of theirs) expect(planned?.message).toContain(`the alert "${name}"`);
    expect(planned?.message).not.toContain("Watching");
    const ends = ["Overview blocked failed in-use"];
    const first = await rollBackJournal(stack, entries);
    expect(first).toMatchObject({ lines: ["Watching delete done", ...ends], exitCode: 3 });
    expect((await rollBackJournal(stack, first.entries, { force: true })).lines).toEqual(ends);
    expect([namesOn(stack), namesOn(stack, "alerts")]).toEqual([["Overview"], theirs]);
  });

  it("stays if a record that stays links to it, and goes if only one that is deleted as well does", async () => {
    const { stack, entries } = await importOnce(records({ dashboards: [board(16), board(17)], ...dependencies.ours }));
    const config = linkingTable(recordOn(stack, "dashboards", "Board 16").id);
    putRecord(
      stack,
      "dashboards",
      dashboard(hexId("d", 1), "Foreign", "", { tiles: [{ id: "t", name: "T", config }] }),
    );
    for (const force of [false, true]) {
      expect(await planLines(stack, entries, force)).toEqual(["Board 16 blocked in-use", "Board 17 delete"]);
    }
  });

  it("stays under an alert that somebody puts on it after the plan, and only that alert is named", async () => {
    const { stack, entries } = await importOnce(watched);
    const { outcomes } = await rollBackJournal(stack, entries, { between: () => addAlertOn(stack, "Overview") });
    expect(outcomes.find(({ name }) => name === "Overview")).toMatchObject({
      status: "failed",
      code: "in-use",
      message: expect.stringContaining('is used by the alert "Theirs"') as string,
    });
  });

  it("stays under an alert that is moved there after the plan, though that is to be put back itself", async () => {
    const elsewhere = dashboard(hexId("b", 17), "Board 17", targetIds.source);
    const theirs = alert(hexId("b", 40), "Theirs", elsewhere, targetIds.webhook, { threshold: 99 });
    const stack = usualTarget({ dashboards: [elsewhere], alerts: [theirs] });
    const ours = alert(hexId("a", 40), "Theirs", board(17), archiveIds.webhook);
    const both = records({ dashboards: [board(16), board(17)], alerts: [ours], ...dependencies.ours });
    const { entries } = await importOnce(both, stack, update);
    const between = (): void => {
      const { dashboardId = null, tileId = null } = alert("", "", recordOn(stack, "dashboards", "Board 16"), "");
      changeOn(stack, "alerts", { dashboardId, tileId });
    };
    const { lines } = await rollBackJournal(stack, entries, { between });
    expect(lines).toEqual(["Theirs update failed changed-since", "Board 16 blocked failed in-use"]);
    expect(namesOn(stack, "alerts")).toEqual(["Theirs"]);
  });

  it.each([1, 2])(
    "stays under the import's alert on it that cannot be deleted, which is named (alert %i)",
    async (at) => {
      const [checkout, payment] = [board(16, { name: "Checkout" }), board(17, { name: "Payment" })];
      const alerts = [
        alert(hexId("a", 32), "Busy", checkout, archiveIds.webhook),
        alert(hexId("a", 33), null, payment, archiveIds.webhook),
      ];
      const archive = records({ dashboards: [checkout, payment], alerts, ...dependencies.ours });
      const { stack, entries } = await importOnce(archive);
      failOperation(stack, "delete alerts", () => refusalError("rejected", "no"), at);
      const failed = (await rollBackJournal(stack, entries)).outcomes.filter(({ status }) => status === "failed");
      expect(outcomeLines(failed, "kind", "code")).toEqual(["alerts rejected", "dashboards in-use"]);
      const [name, user] =
        failed[0]?.name === "Busy" ? ["Checkout", 'alert "Busy"'] : ["Payment", String(failed[0]?.targetId)];
      expect(failed[1]).toMatchObject({ name, message: expect.stringContaining(user) });
    },
  );

  it.each(["rejected", "not-found"] as const)(
    "stays, also under --force, under a link of a dashboard that cannot be put back: %s",
    async (code) => {
      const plain = dashboard(hexId("b", 16), "Theirs", targetIds.source, { tags: ["theirs"] });
      const archive = records({ dashboards: [linkingTo(17), board(17)], ...dependencies.ours });
      const { stack, entries } = await importOnce(archive, usualTarget({ dashboards: [plain] }), update);
      failOperation(stack, "update dashboards", () => refusalError(code, "no"));
      expect((await rollBackJournal(stack, entries, { force: true })).lines).toEqual([
        `Theirs update failed ${code}`,
        "Board 17 blocked failed in-use",
      ]);
      expect(namesOn(stack).toSorted()).toEqual(["Board 17", "Theirs"]);
    },
  );

  it("stays under a link of a dashboard that is not put back because it has hidden content", async () => {
    const plain = dashboard(hexId("b", 16), "Theirs", targetIds.source, { tags: ["theirs"] });
    const archive = records({ dashboards: [linkingTo(17), board(17)], ...dependencies.ours });
    const { stack, entries } = await importOnce(archive, usualTarget({ dashboards: [plain] }), update);
    stack.substitutes.add(tileOf(recordOn(stack, "dashboards", "Theirs")));
    const { lines, exitCode } = await rollBackJournal(stack, entries);
    expect(lines).toEqual(["Theirs blocked failed would-lose-hidden", "Board 17 blocked failed in-use"]);
    expect([exitCode, writesOn(stack)]).toEqual([3, []]);
  });
});

/** Makes a dashboard of the archive that links to another one. */
function linkingTo(number: number): JsonObject {
  const link = { ...linkingTable(hexId("a", number), archiveIds.source), select: [{ aggFn: "count" }] };
  return dashboard(hexId("a", 16), "Theirs", "", { tiles: [tileWith(hexId("a", 1001), "T", link)] });
}
