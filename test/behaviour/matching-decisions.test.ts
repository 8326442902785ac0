import { expect, it } from "vitest";
import { importStage, outcomeOf, sentTo, writesOn } from "../support/import-stage.ts";
import { memoryStack, refuse } from "../support/memory-stack.ts";
import { dashboard, hexId, records } from "../support/stack-records.ts";

const archive = records({ dashboards: [dashboard(hexId("a", 16), "One", "", { tags: ["x"] })] });
const empty = () => memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [] });

it("plans nothing on a list that cannot be read", async () => {
  const stack = empty();
  stack.intercept = (operation) => {
    if (operation === "list dashboards") throw refuse("unauthorized", "no");
  };
  await expect(importStage(stack).run(archive)).rejects.toMatchObject({ code: "unauthorized" });
  expect(writesOn(stack)).toEqual([]);
});

it("knows by the journal a record that somebody has renamed and changed since", async () => {
  const stack = empty();
  const stage = importStage(stack);
  const made = outcomeOf(await stage.run(archive), "One")?.targetId ?? "";
  const now = stack.records.get("dashboards")?.get(made) ?? {};
  stack.records.get("dashboards")?.set(made, { ...now, name: "Renamed", tags: ["theirs"] });
  expect(outcomeOf(await stage.run(archive), "One")).toMatchObject({ action: "skip", targetId: made });
  expect(sentTo(stack, "create dashboards")).toHaveLength(1);
});
