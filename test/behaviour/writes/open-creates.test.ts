import { describe, expect, it } from "vitest";
import { archiveOf, newStage, usualTarget } from "../../support/import-samples.ts";
import {
  bodiesSentTo,
  importStage,
  outcomeLines,
  outcomeOf,
  writesDuring,
  type ImportStage,
} from "../../support/import-stage.ts";
import {
  failOperation,
  interruptionError,
  memoryStack,
  refusalError,
  spellIds,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { changeOn, recordsOn } from "../../support/on-stack.ts";
import { rollBackJournal } from "../../support/rollback-runs.ts";
import { dashboard, hexId, records, targetIds, webhook } from "../../support/stack-records.ts";
import { atCreate, both, creates, idsIn, lose, one } from "./twins.ts";

const doneIn = ({ history }: ImportStage): string[] =>
  history.flatMap((entry) => (entry.type === "done" ? [entry.targetId.toLowerCase()] : []));

const kill = (): never => {
  throw new Error("killed");
};

describe("a create without a recorded end in the journal", () => {
  it("was begun with the ids of the records of its name that the run had created before", async () => {
    const { stage } = newStage();
    await stage.run(both);
    const intents = stage.history.flatMap((entry) => (entry.type === "intent" ? [entry.namesakes] : []));
    const [first] = stage.history.flatMap((entry) => (entry.type === "done" ? [entry.targetId] : []));
    expect(intents).toEqual([undefined, [first]]);
  });

  it("stays open when its response is lost, and its record, listed later, is assigned to the import", async () => {
    const { stack, stage } = newStage();
    atCreate(stack, "interceptAfter", 1, () => {
      failOperation(stack, "list dashboards", () => refusalError("unauthorized", "no"));
      lose();
    });
    const first = await stage.run(one);
    expect(first.outcomes[0]).toMatchObject({ status: "failed", code: "unauthorized" });
    expect(stage.history.map(({ type }) => type)).not.toContain("refused");
    stack.intercept = () => {};
    const second = await stage.run(one);
    expect(second.plan.items[0]).toMatchObject({ action: "unchanged" });
    expect(stage.history.filter(({ type }) => type === "done")).toMatchObject([{ write: "create" }]);
    expect(doneIn(stage)).toEqual(idsIn(stack));
    expect(creates(stack)).toBe(1);
  });

  it.each(["lower", "upper"])(
    "is not assigned the record of its finished twin: the next run sends it (ids in %s case)",
    async (spelling) => {
      const { stack, stage } = newStage();
      atCreate(stack, "intercept", 2, kill);
      await expect(stage.run(both, { concurrency: 1 })).rejects.toThrow("killed");
      stack.intercept = () => {};
      if (spelling === "upper") spellIds(stack, "toUpperCase");
      await stage.run(both);
      expect(new Set(doneIn(stage)).size).toBe(doneIn(stage).length);
      expect(idsIn(stack)).toHaveLength(2);
    },
  );

  it.each([
    ["the run that sent it twice", false, 0],
    ["the run that sent it twice", false, 1],
    ["a run that was killed, and the next one", true, 0],
    ["a run that was killed, and the next one", true, 1],
  ])(
    "is not sent a third time by a later run, and either of the two may be deleted: after %s",
    async (_, isKilled, deleted) => {
      const { stack, stage } = newStage();
      const hidden = new Set<unknown>();
      stack.replaceListed = (kind, bodies) => bodies.filter(({ id }) => kind !== "dashboards" || !hidden.has(id));
      atCreate(stack, "interceptAfter", 1, () => {
        for (const id of idsIn(stack)) hidden.add(id);
        (isKilled ? kill : lose)();
      });
      if (isKilled) await expect(stage.run(one)).rejects.toThrow("killed");
      const first = await stage.run(one);
      // The list still does not show the record of the first create.
      expect([creates(stack), first.exitCode]).toEqual([2, 0]);
      hidden.clear();
      for (const _again of [1, 2]) {
        const later = await stage.run(one);
        expect([later.exitCode, outcomeOf(later, "Twin")]).toMatchObject([0, { action: "unchanged" }]);
        expect(idsIn(stack)).toHaveLength(2);
      }
      stack.records.get("dashboards")?.delete(String(idsIn(stack)[deleted]));
      expect((await stage.run(one)).exitCode).toBe(0);
      expect(idsIn(stack)).toHaveLength(1);
    },
  );

  it("is assigned the one record in the list if two equal creates were begun: the other is created", async () => {
    const { stack, stage } = newStage();
    atCreate(stack, "interceptAfter", 1, () => {
      stack.intercept = kill;
      kill();
    });
    await expect(stage.run(both, { concurrency: 1 })).rejects.toThrow("killed");
    await new Promise(setImmediate);
    expect(stage.history.map(({ type }) => type)).toEqual(["begin", "intent", "intent"]);
    stack.intercept = () => {};
    stack.interceptAfter = () => {};
    expect((await stage.run(both)).exitCode).toBe(0);
    expect(idsIn(stack)).toHaveLength(2);
    expect(new Set(doneIn(stage))).toEqual(new Set(idsIn(stack)));
  });
});

describe("a record that an earlier run has created", () => {
  it.each([
    ["toLowerCase", "toLowerCase"],
    ["toLowerCase", "toUpperCase"],
    ["toUpperCase", "toLowerCase"],
  ] as const)("is recognised under a name that somebody has given it (id answered %s, listed %s)", async (from, to) => {
    const { stack, stage } = newStage();
    stack.replaceStored = (_, body) => ({ ...body, id: String(body["id"])[from]() });
    spellIds(stack, to);
    const plain = archiveOf(dashboard(hexId("a", 16), "Twin", "", { tiles: [] }));
    await stage.run(plain);
    changeOn(stack, "dashboards", { name: "Renamed" });
    expect(outcomeOf(await stage.run(plain), "Twin")).toMatchObject({ action: "skip", code: "edited" });
    expect(idsIn(stack)).toHaveLength(1);
  });

  it("is not copied again under a name prefix where the copy was renamed", async () => {
    const [namePrefix, original] = ["Copy of ", dashboard(hexId("e", 16), "Twin", targetIds.source)];
    const { stack, stage } = newStage(usualTarget({ dashboards: [original] }));
    await stage.run(one, { namePrefix });
    changeOn(stack, "dashboards", { name: "Renamed" }, "Copy of Twin");
    const again = async (): Promise<void> => {
      const run = await stage.run(one, { namePrefix });
      expect(outcomeOf(run, hexId("a", 16))).toMatchObject({ action: "skip", code: "edited" });
    };
    expect(await writesDuring(stack, again)).toEqual([]);
  });
});

describe("a webhook whose create was lost, on a list that does not show it", () => {
  const hooks = records({ webhooks: [{ ...webhook(hexId("a", 3), "oncall"), service: "slack" }] });
  const create = ["webhooks"];
  const TAKEN = "POST /webhooks was refused: A webhook with this service and name already exists";

  /**
   * Loses the answer to the first create of a webhook, and refuses later creates with this error. The first `lists` lists, of
   * which the plan reads one, show no webhook.
   */
  function targetWithLaggingList(lists: number, error: Error = refusalError("rejected", TAKEN)): MemoryStack {
    const stack = memoryStack({ webhooks: [], "saved-searches": [], alerts: [] });
    let [creates, listsRead] = [0, 0];
    stack.intercept = (operation) => {
      if (operation === "create webhooks" && (creates += 1) > 1) throw error;
    };
    stack.interceptAfter = lose;
    stack.replaceListed = (kind, bodies) => (kind === "webhooks" && (listsRead += 1) <= lists ? [] : bodies);
    return stack;
  }

  it.each([
    ["was refused", refusalError("rejected", TAKEN)],
    ["was refused by a gateway", refusalError("forbidden", "no")],
    ["was never sent, as the run was stopped", interruptionError()],
  ])("stays open where a second one %s, is recognised by the next run, and deleted by a rollback", async (_, error) => {
    const { stack, stage } = newStage(targetWithLaggingList(1000, error));
    const { outcomes } = await stage.run(hooks, { create });
    expect(outcomeLines(outcomes, "status", "code")).toEqual(["failed create-unknown"]);
    stack.replaceListed = (_kind, bodies) => bodies;
    expect((await stage.run(hooks, { create })).exitCode).toBe(0);
    expect(recordsOn(stack, "webhooks")).toHaveLength(1);
    await rollBackJournal(stack, stage.history, { run: 1 });
    expect(recordsOn(stack, "webhooks")).toEqual([]);
  });

  it("is refused like anything else where no answer was lost: the record is somebody else's", async () => {
    const stack = targetWithLaggingList(6);
    failOperation(stack, "create webhooks", () => refusalError("rejected", TAKEN));
    const { outcomes } = await importStage(stack).run(hooks, { create });
    expect(outcomeLines(outcomes, "status", "code")).toEqual(["failed rejected"]);
    expect(bodiesSentTo(stack, "create webhooks")).toHaveLength(1);
  });
});
