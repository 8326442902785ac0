import { describe, expect, it } from "vitest";
import { exportOf } from "../../support/export-into.ts";
import { failOperation, memoryStack, refusalError } from "../../support/memory-stack.ts";
import { archiveIds, dashboard, hexId, webhook } from "../../support/stack-records.ts";

const overview = dashboard(hexId("a", 16), "Overview", archiveIds.source);

describe("a kind or record that an export cannot read", () => {
  it("ends it with the stack's error, or stands in the manifest where partial archives are allowed", async () => {
    const stack = memoryStack({
      dashboards: [overview],
      alerts: [],
      sources: [],
      webhooks: [webhook(archiveIds.webhook, "w")],
    });
    failOperation(stack, "list webhooks", () => refusalError("rejected", "no webhooks today"));
    await expect(exportOf(stack)).rejects.toMatchObject({ code: "rejected" });
    const { manifest } = await exportOf(stack, { allowPartial: true });
    expect(manifest.kinds).toMatchObject({
      webhooks: { status: "failed", count: 0, error: "no webhooks today" },
      dashboards: { status: "complete", count: 1 },
      pipes: { status: "not-requested", count: 0 },
    });
  });

  it("counts as failed for a record that does not fit the schema of its kind", async () => {
    const odd = memoryStack({ dashboards: [overview, { id: hexId("a", 17), name: 7 }], alerts: [] });
    await expect(exportOf(odd)).rejects.toMatchObject({ code: "incomplete" });
    const { manifest, result } = await exportOf(odd, { allowPartial: true });
    expect(manifest.kinds["dashboards"]).toMatchObject({ status: "failed", count: 1 });
    expect(result.outcomes).toContainEqual(
      expect.objectContaining({ sourceId: hexId("a", 17), status: "failed", code: "unreadable-record" }),
    );
  });

  it("does not hide the order: records stand by kind and id, whatever order the stack answers in", async () => {
    const ids = [3, 1, 2].map((number) => hexId("a", number));
    const made = memoryStack({ dashboards: ids.map((id) => dashboard(id, "Same", "")), alerts: [] });
    const { records } = await exportOf(made);
    expect(records.map(({ id }) => id)).toEqual(ids.toSorted());
  });
});
