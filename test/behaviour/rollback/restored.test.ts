import { describe, expect, it } from "vitest";
import {
  alertedOverview,
  board,
  dependencies,
  fromOtherStack,
  update,
  usualTarget,
} from "../../support/import-samples.ts";
import { bodiesSentTo, importStage, writesOn, type JsonObject, type StackRecord } from "../../support/import-stage.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { recordOn, recordsOn } from "../../support/on-stack.ts";
import { importOnce, rollBackJournal } from "../../support/rollback-runs.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  linkingTable,
  records,
  targetIds,
  tileWith,
} from "../../support/stack-records.ts";

const archiveOf = (...dashboards: JsonObject[]): StackRecord[] => records({ dashboards, ...dependencies.ours });
const theirs = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });

describe("a rollback of a dashboard that the import updated", () => {
  const filterOn = (sourceId: string): JsonObject[] => [
    { id: hexId("e", 1), name: "Service", type: "QUERY_EXPRESSION", expression: "x", sourceId },
  ];

  it.each([
    ["clears the members that the update added", [], []],
    ["brings its saved filters back", filterOn(targetIds.source), [{ sourceId: targetIds.source }]],
  ])("%s", async (_, filters, shown) => {
    const ours = board(16, { tags: ["new"], filters: filterOn(archiveIds.source), savedQuery: "a:b" });
    const target = usualTarget({ dashboards: [{ ...theirs, filters }] });
    const { stack, entries } = await importOnce(archiveOf(ours), target, update);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ savedQuery: "a:b", tags: ["new"] }]);
    expect((await rollBackJournal(stack, entries)).lines).toEqual(["Board 16 update done"]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["theirs"], filters: shown, savedQuery: null }]);
    const [sent] = bodiesSentTo(stack, "update dashboards");
    for (const member of ["id", "createdAt", "updatedAt", "teamId"]) expect(sent).not.toHaveProperty(member);
  });

  it("brings the links of two dashboards to each other back in one write each", async () => {
    const pair = (letter: "a" | "b", more: JsonObject): JsonObject[] =>
      [20, 21].map((number) => {
        const config = linkingTable(hexId(letter, 41 - number), hexId(letter, 1));
        const tiles = [tileWith(hexId(letter === "a" ? "d" : "e", number), "Table", config)];
        return dashboard(hexId(letter, number), `Board ${number}`, "", { tiles, ...more });
      });
    const before = pair("b", { tags: ["theirs"] });
    const { stack, entries } = await importOnce(
      archiveOf(...pair("a", {})),
      usualTarget({ dashboards: before }),
      update,
    );
    expect(recordsOn(stack, "dashboards").map(({ tags }) => tags)).toEqual([[], []]);
    await rollBackJournal(stack, entries);
    expect(recordsOn(stack, "dashboards")).toMatchObject(before);
    expect(writesOn(stack)).toEqual(["update dashboards", "update dashboards"]);
  });
});

describe("an image with a secret", () => {
  const TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
  const query = (secret: string): string => `token=${secret}`;

  /** Updates a dashboard that holds the secret, and rolls the update back. */
  const run = async (savedQuery: string) => {
    const stack = usualTarget({ dashboards: [{ ...theirs, savedQuery: query(TOKEN) }] });
    const stage = importStage(stack);
    await stage.run(archiveOf(board(16, { tags: ["ours"], savedQuery })), { ...update, ...fromOtherStack });
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["ours"], savedQuery });
    expect(JSON.stringify(stage.history)).not.toContain(TOKEN);
    const { lines, exitCode } = await rollBackJournal(stack, stage.history);
    return { ends: [...lines, exitCode], left: recordOn(stack, "dashboards", "Board 16") };
  };

  it("is put back with the secret, where the run left that as it was", async () => {
    const { ends, left } = await run(query(TOKEN));
    expect(ends).toEqual(["Board 16 update done", 0]);
    expect(left).toMatchObject({ tags: ["theirs"], savedQuery: query(TOKEN) });
  });

  it("is left where the run has replaced the secret, and the record is named", async () => {
    const other = query(TOKEN.replace("0123", "9876"));
    const { ends, left } = await run(other);
    expect(ends).toEqual(["Board 16 skip done redacted", 3]);
    expect(left).toMatchObject({ tags: ["ours"], savedQuery: other });
  });
});

it("a rollback sends an alert that it puts back on a managed stack in the one form that the stack describes", async () => {
  const overview = dashboard(hexId("b", 16), "Overview", targetIds.source);
  const { channels: _, ...theirs } = alert(hexId("b", 32), "Watching", overview, targetIds.webhook, {
    message: "call me",
  });
  const stack = memoryStack({ dashboards: [overview], alerts: [theirs], ...dependencies.theirs }, "managed");
  const { entries } = await importOnce(alertedOverview("Watching"), stack, update);
  expect(recordsOn(stack, "alerts")).not.toMatchObject([{ message: "call me" }]);
  expect((await rollBackJournal(stack, entries)).outcomes.map(({ status }) => status)).toContain("done");
  const [sent = {}] = bodiesSentTo(stack, "update alerts");
  expect(sent).toMatchObject({ message: "call me", channel: { webhookId: targetIds.webhook } });
  expect(sent).not.toHaveProperty("channels");
});
