import { describe, expect, it } from "vitest";
import { outcomeOf } from "../support/import-stage.ts";
import { archive, importedStage, update } from "../support/mirror-stage.ts";
import { board } from "../support/import-samples.ts";
import { storedRecord, changeRecords } from "../support/memory-stack.ts";

// A restore writes what the backup holds. It uses the state of earlier imports to recognise records, but overwrites records
// that were edited on the target since.

const restore = { ...update, restores: true } as const;

describe("a record that was changed on the target since the backup was restored last", () => {
  it("is restored again, every time, and the plan says what is overwritten", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    for (const time of [1, 2, 3]) {
      changeRecords(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
      const run = await stage.run(archive([board(16)]), restore);
      expect([time, run.exitCode, outcomeOf(run, "Board 16")?.action]).toEqual([time, 0, "update"]);
      expect(run.plan.items[0]?.since).toEqual({ source: [], target: ["tags"] });
      expect(storedRecord(stack, "dashboards", "Board 16")["tags"]).toEqual([]);
    }
  });

  it.each([
    ["skip", "skip", "exists"],
    ["duplicate", "skip", "exists"],
  ] as const)("is left alone under %s, and told to be another than the backup's", async (onConflict, action, code) => {
    const { stack, stage } = await importedStage([board(16)]);
    changeRecords(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const run = await stage.run(archive([board(16)]), { ...restore, onConflict });
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action, code });
  });

  it("stops the restore under fail", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    changeRecords(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    await expect(stage.run(archive([board(16)]), { ...restore, onConflict: "fail" })).rejects.toMatchObject({
      code: "incomplete",
    });
  });

  it("is left unchanged by an import if the source is unchanged", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    changeRecords(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const run = await stage.run(archive([board(16)]), update);
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "skip", code: "edited" });
  });
});

it("a restore does not update a record that is unchanged since it was restored", async () => {
  const { stack, stage } = await importedStage([board(16)]);
  stack.replaceStored = (_, body) => ({ ...body, tags: ["the stack's own"] });
  changeRecords(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
  await stage.run(archive([board(16)]), restore);
  stack.requests.length = 0;
  const run = await stage.run(archive([board(16)]), restore);
  expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "unchanged" });
  expect(stack.requests.filter(({ operation }) => operation.startsWith("update"))).toEqual([]);
});
