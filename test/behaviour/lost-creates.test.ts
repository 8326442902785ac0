import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, sentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { interrupt, loseAnswer, memoryStack, refuse, answer, change } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { dashboard, hexId, records, webhook } from "../support/stack-records.ts";
import { documentOf } from "../support/run-cli.ts";
import { smallBench, namesIn } from "../support/small-bench.ts";
import { logs, usualTarget } from "../support/usual-stacks.ts";

const target = (dashboards: readonly JsonObject[] = []): MemoryStack => usualTarget({ dashboards });
const twin = (number: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), "Twin", hexId("a", 1), more);
const archiveOf = (...dashboards: JsonObject[]) => records({ dashboards, sources: [logs] });
const creates = (stack: MemoryStack): number => sentTo(stack, "create dashboards").length;

/** Does something at the nth create, before it is carried out or after. */
function atCreate(stack: MemoryStack, when: "intercept" | "interceptAfter", nth: number, act: () => void): void {
  let count = 0;
  stack[when] = (operation) => {
    if (operation !== "create dashboards") return;
    count += 1;
    if (count === nth) act();
  };
}
/** From here on the list has the ids of dashboards in upper or lower case. */
function spellIds(stack: MemoryStack, spell: "toUpperCase" | "toLowerCase"): void {
  stack.show = (kind, bodies) =>
    kind === "dashboards" ? bodies.map((body) => ({ ...body, id: String(body["id"])[spell]() })) : bodies;
}
const lose = (): never => {
  throw loseAnswer();
};
const kill = (): never => {
  throw new Error("killed");
};
/** Somebody else's dashboard of that name, put there by hand. */
function put(stack: MemoryStack, number: number, more: JsonObject = {}): void {
  stack.records.get("dashboards")?.set(hexId("e", number), {
    ...dashboard(hexId("e", number), "Twin", hexId("b", 1), more),
  });
}

describe("a create whose answer was lost", () => {
  it("is sent again for the second of two twins where it was not carried out: the first's record is not its own", async () => {
    const stack = target();
    atCreate(stack, "intercept", 2, lose);
    const run = await importStage(stack).run(archiveOf(twin(16), twin(17)));
    expect(storedRecords(stack, "dashboards")).toHaveLength(2);
    expect(creates(stack)).toBe(3);
    expect(new Set(run.outcomes.slice(0, 2).map(({ targetId }) => targetId)).size).toBe(2);
    expect(run.exitCode).toBe(0);
  });

  it("is found as another record for each of three that are equal, and none is sent again", async () => {
    const stack = target();
    stack.interceptAfter = lose;
    const run = await importStage(stack).run(archiveOf(twin(16), twin(17), twin(18)));
    expect([creates(stack), storedRecords(stack, "dashboards").length]).toEqual([3, 3]);
    expect(new Set(run.outcomes.slice(0, 3).map(({ targetId }) => targetId)).size).toBe(3);
  });

  it("is sent three times where it is never carried out, fails then, and stays open in the journal", async () => {
    const stack = target();
    stack.intercept = (operation) => void (operation === "create dashboards" && lose());
    const stage = importStage(stack);
    const run = await stage.run(archiveOf(twin(16)));
    expect(outcomeOf(run, "Twin")).toMatchObject({ action: "create", status: "failed", code: "unreachable" });
    expect(creates(stack)).toBe(3);
    expect(stage.history.map(({ type }) => type)).not.toContain("refused");
    expect(stage.history.map(({ type }) => type)).not.toContain("done");
  });

  it("is not taken for another of the same name that is still on its way", async () => {
    const stack = target();
    atCreate(stack, "intercept", 1, lose);
    const create = stack.client.create.bind(stack.client);
    stack.client.create = async (kind, body) => {
      const made = await create(kind, body);
      for (let turn = 0; turn < 500; turn += 1) await Promise.resolve();
      return made;
    };
    const run = await importStage(stack).run(archiveOf(twin(16, { tags: ["one"] }), twin(17, { tags: ["two"] })));
    expect(
      storedRecords(stack, "dashboards")
        .map(({ tags }) => String(tags))
        .toSorted(),
    ).toEqual(["one", "two"]);
    expect(stack.records.get("dashboards")?.get(outcomeOf(run, hexId("a", 16))?.targetId ?? "")?.["tags"]).toEqual([
      "one",
    ]);
  });

  it("is found by its name alone where the stack keeps it in another form", async () => {
    const stack = target();
    stack.keep = (_, body) => ({ ...body, tags: ["added"] });
    atCreate(stack, "interceptAfter", 1, lose);
    const run = await importStage(stack).run(archiveOf(twin(16)));
    expect(creates(stack)).toBe(1);
    expect(outcomeOf(run, "Twin")).toMatchObject({
      status: "done",
      targetId: storedRecords(stack, "dashboards")[0]?.["id"],
    });
  });

  it("is neither of two new records of its name that are not equal to what was sent", async () => {
    const stack = target();
    atCreate(stack, "intercept", 1, () => {
      put(stack, 1, { tags: ["theirs"] });
      put(stack, 2, { tags: ["also theirs"] });
      lose();
    });
    const run = await importStage(stack).run(archiveOf(twin(16)));
    expect([hexId("e", 1), hexId("e", 2)]).not.toContain(outcomeOf(run, "Twin")?.targetId);
    expect(outcomeOf(run, "Twin")).toMatchObject({ status: "failed", code: "create-unknown" });
    expect(creates(stack)).toBe(1);
    expect(run.exitCode).toBe(3);
  });

  it("is the record that is equal, though one of its name is listed first", async () => {
    const stack = target();
    let looks = 0;
    atCreate(stack, "interceptAfter", 1, () => {
      put(stack, 1, { tags: ["theirs"] });
      stack.show = (kind, bodies) => {
        if (kind === "dashboards") looks += 1;
        return looks < 3 ? bodies.filter(({ id }) => kind !== "dashboards" || id === hexId("e", 1)) : bodies;
      };
      lose();
    });
    const run = await importStage(stack).run(archiveOf(twin(16)));
    expect(creates(stack)).toBe(1);
    expect(outcomeOf(run, "Twin")?.targetId).not.toBe(hexId("e", 1));
    // The other one of its name came to be during the run.
    expect(outcomeOf(run, "Twin")?.code).toBe("doubled");
    expect(run.exitCode).toBe(3);
  });

  it.each(["as it is", "in upper case"])("is never what was there before, whose id is listed %s", async (spelling) => {
    const theirs = dashboard(hexId("b", 16), "Twin", hexId("b", 1), { tags: ["theirs"] });
    const stack = target([theirs]);
    atCreate(stack, "intercept", 1, () => {
      if (spelling === "in upper case") spellIds(stack, "toUpperCase");
      lose();
    });
    const run = await importStage(stack).run(archiveOf(twin(16)), { onConflict: "duplicate" });
    expect(storedRecords(stack, "dashboards")).toHaveLength(2);
    expect(outcomeOf(run, "Twin")?.targetId?.toLowerCase()).not.toBe(hexId("b", 16));
  });

  it("is found, checked and recognised again where the list spells its id in another case", async () => {
    const stack = target();
    spellIds(stack, "toUpperCase");
    atCreate(stack, "interceptAfter", 2, lose);
    const stage = importStage(stack);
    const run = await stage.run(archiveOf(twin(16), twin(17)));
    expect(run.exitCode).toBe(0);
    expect(creates(stack)).toBe(2);
    for (const next of [stage, importStage(stack)]) {
      const again = await next.run(archiveOf(twin(16), twin(17)));
      expect(again.plan.items.slice(0, 2).map(({ action }) => action)).toEqual(["unchanged", "unchanged"]);
    }
  });

  it("that the stack refused is neither looked for nor sent again", async () => {
    const stack = target();
    atCreate(stack, "intercept", 1, () => {
      throw refuse("rejected", "no");
    });
    const lists = (): number => stack.requests.filter(({ operation }) => operation === "list dashboards").length;
    const run = await importStage(stack).run(archiveOf(twin(16)));
    expect(outcomeOf(run, "Twin")).toMatchObject({ status: "failed", code: "rejected" });
    expect(creates(stack)).toBe(1);
    expect(lists()).toBe(1);
  });
});

describe("a create of which only the journal knows", () => {
  it("stays open when its answer is lost and its record is listed later, and is the import's own afterwards", async () => {
    const stack = target();
    const stage = importStage(stack);
    atCreate(stack, "interceptAfter", 1, () => {
      answer(stack, "list dashboards", () => refuse("unauthorized", "no"));
      lose();
    });
    const first = await stage.run(archiveOf(twin(16)));
    expect(first.outcomes[0]).toMatchObject({ status: "failed", code: "unauthorized" });
    expect(stage.history.map(({ type }) => type)).not.toContain("refused");
    stack.intercept = () => {};
    const second = await stage.run(archiveOf(twin(16)));
    expect(second.plan.items[0]).toMatchObject({ action: "unchanged" });
    expect(stage.history.filter(({ type }) => type === "done")).toMatchObject([
      { write: "create", targetId: storedRecords(stack, "dashboards")[0]?.["id"] },
    ]);
    expect(creates(stack)).toBe(1);
  });

  it.each(["lower", "upper"])(
    "is not taken for its twin, which is done: it is made (ids in %s case)",
    async (spelling) => {
      const stack = target();
      const stage = importStage(stack);
      atCreate(stack, "intercept", 2, kill);
      await expect(stage.run(archiveOf(twin(16), twin(17)), { concurrency: 1 })).rejects.toThrow("killed");
      stack.intercept = () => {};
      if (spelling === "upper") spellIds(stack, "toUpperCase");
      await stage.run(archiveOf(twin(16), twin(17)));
      const done = stage.history.filter(({ type }) => type === "done") as unknown as { targetId: string }[];
      expect(new Set(done.map(({ targetId }) => targetId.toLowerCase())).size).toBe(done.length);
      expect(storedRecords(stack, "dashboards")).toHaveLength(2);
    },
  );

  it.each([
    ["the run that sent it twice", false, 0],
    ["the run that sent it twice", false, 1],
    ["a run that was killed, and the next one", true, 0],
    ["a run that was killed, and the next one", true, 1],
  ])("is named with its double by every later run, until one is gone: after %s", async (_, isKilled, deleted) => {
    const stack = target();
    const stage = importStage(stack);
    const archive = archiveOf(twin(16));
    const hidden = new Set<unknown>();
    stack.show = (kind, bodies) => bodies.filter(({ id }) => kind !== "dashboards" || !hidden.has(id));
    atCreate(stack, "interceptAfter", 1, () => {
      for (const { id } of storedRecords(stack, "dashboards")) hidden.add(id);
      (isKilled ? kill : lose)();
    });
    if (isKilled) await expect(stage.run(archive)).rejects.toThrow("killed");
    const first = await stage.run(archive);
    // The list still does not show the record of the first create.
    expect([creates(stack), first.exitCode]).toEqual([2, 0]);
    hidden.clear();
    for (const _again of [1, 2]) {
      const later = await stage.run(archive);
      expect([later.exitCode, outcomeOf(later, "Twin")]).toMatchObject([3, { action: "unchanged", code: "doubled" }]);
      expect(storedRecords(stack, "dashboards")).toHaveLength(2);
    }
    stack.records.get("dashboards")?.delete(String(storedRecords(stack, "dashboards")[deleted]?.["id"]));
    expect((await stage.run(archive)).exitCode).toBe(0);
    expect(storedRecords(stack, "dashboards")).toHaveLength(1);
  });

  it("is one of two where both were begun and one is there: the other is made", async () => {
    const stack = target();
    const stage = importStage(stack);
    atCreate(stack, "interceptAfter", 1, () => {
      stack.intercept = kill;
      kill();
    });
    await expect(stage.run(archiveOf(twin(16), twin(17)), { concurrency: 1 })).rejects.toThrow("killed");
    await new Promise(setImmediate);
    expect(stage.history.map(({ type }) => type)).toEqual(["intent", "intent"]);
    stack.intercept = () => {};
    stack.interceptAfter = () => {};
    const run = await stage.run(archiveOf(twin(16), twin(17)));
    expect(run.exitCode).toBe(0);
    expect(storedRecords(stack, "dashboards")).toHaveLength(2);
    const done = stage.history.flatMap((entry) => (entry.type === "done" ? [entry.targetId] : []));
    expect(new Set(done)).toEqual(new Set(storedRecords(stack, "dashboards").map(({ id }) => id)));
  });
});

describe("what an earlier run has made", () => {
  it("is made again where somebody has deleted it", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(archiveOf(twin(16)));
    stack.records.get("dashboards")?.clear();
    const run = await stage.run(archiveOf(twin(16)));
    expect(outcomeOf(run, "Twin")).toMatchObject({ action: "create", status: "done" });
    expect(storedRecords(stack, "dashboards")).toHaveLength(1);
  });

  it.each([
    ["skip", "skip", "exists"],
    ["update", "update", undefined],
  ] as const)(
    "is not unchanged where somebody has changed it: --on-conflict %s → %s",
    async (onConflict, action, code) => {
      const stack = target();
      const stage = importStage(stack);
      await stage.run(archiveOf(twin(16)));
      change(stack, "dashboards", { tags: ["theirs"] });
      const run = await stage.run(archiveOf(twin(16)), { onConflict });
      expect(outcomeOf(run, "Twin")?.action).toBe(action);
      expect(outcomeOf(run, "Twin")?.code).toBe(code);
    },
  );

  it("is unchanged where the stack keeps it in another form than it was sent in", async () => {
    const stack = target();
    stack.keep = (_, body) => ({ ...body, tags: ["added"] });
    const stage = importStage(stack);
    await stage.run(archiveOf(twin(16, { tags: ["ours"] })));
    const run = await stage.run(archiveOf(twin(16, { tags: ["ours"] })), { onConflict: "update" });
    expect(outcomeOf(run, "Twin")).toMatchObject({ action: "unchanged", code: "journaled" });
  });

  it.each([
    ["toLowerCase", "toLowerCase"],
    ["toLowerCase", "toUpperCase"],
    ["toUpperCase", "toLowerCase"],
  ] as const)("is recognised under a name that somebody has given it (id answered %s, listed %s)", async (from, to) => {
    const stack = target();
    stack.keep = (_, body) => ({ ...body, id: String(body["id"])[from]() });
    spellIds(stack, to);
    const stage = importStage(stack);
    const plain = archiveOf(dashboard(hexId("a", 16), "Twin", "", { tiles: [] }));
    await stage.run(plain);
    change(stack, "dashboards", { name: "Renamed" });
    expect(outcomeOf(await stage.run(plain), "Twin")).toMatchObject({ action: "skip", code: "exists" });
    expect(storedRecords(stack, "dashboards")).toHaveLength(1);
  });

  it("is not copied again by --on-conflict duplicate where the copy was changed, and the copy of a chain neither", async () => {
    const stack = target([dashboard(hexId("b", 16), "Twin", hexId("b", 1), { tags: ["theirs"] })]);
    const stage = importStage(stack);
    await stage.run(archiveOf(twin(16)), { onConflict: "duplicate" });
    const copy = storedRecords(stack, "dashboards").find(({ id }) => id !== hexId("b", 16)) as JsonObject;
    stack.records.get("dashboards")?.set(String(copy["id"]), { ...copy, tags: ["edited"] });
    stack.requests.length = 0;
    const run = await stage.run(archiveOf(twin(16)), { onConflict: "duplicate" });
    expect(writesOn(stack)).toEqual([]);
    expect(outcomeOf(run, "Twin")).toMatchObject({ action: "skip", code: "exists" });
  });
});

/** A gateway that quotes the stack. */
function forbidden(): Error {
  const why = "A webhook with this service and name already exists, says the stack";
  return Object.assign(refuse("unauthorized", why), { code: "forbidden" });
}

describe("a webhook whose create was lost, on a list that does not show it", () => {
  const oncall = { ...webhook(hexId("a", 3), "oncall"), service: "slack" };
  const lagging = (lists: number): MemoryStack => {
    const stack = memoryStack({ webhooks: [], "saved-searches": [] });
    let [creates, shown] = [0, 0];
    stack.intercept = (operation) => {
      if (operation !== "create webhooks" || (creates += 1) === 1) return;
      throw refuse("rejected", "POST /webhooks was refused: A webhook with this service and name already exists");
    };
    stack.interceptAfter = lose;
    // The first list is the plan's.
    stack.show = (kind, bodies) => (kind === "webhooks" && (shown += 1) <= lists ? [] : bodies);
    return stack;
  };
  const importOne = (stack: MemoryStack) =>
    importStage(stack).run(records({ webhooks: [oncall] }), { create: ["webhooks"] });

  it("is proven by the refusal of a second one, and adopted once the list shows it", async () => {
    const stack = lagging(6);
    const run = await importOne(stack);
    expect(run.outcomes).toEqual([expect.objectContaining({ action: "create", status: "done" })]);
    expect(run.outcomes[0]?.targetId).toBe(storedRecords(stack, "webhooks")[0]?.["id"]);
    expect(sentTo(stack, "create webhooks")).toHaveLength(2);
  });

  it("stays open where the list never shows it, and is recognised by the next run", async () => {
    const stack = lagging(1000);
    const stage = importStage(stack);
    const archive = records({ webhooks: [oncall] });
    const run = await stage.run(archive, { create: ["webhooks"] });
    expect(run.outcomes[0]).toMatchObject({ status: "failed", code: "create-unknown" });
    expect(run.outcomes[0]?.message).toContain("the stack refuses a second one");
    stack.show = (_, bodies) => bodies;
    expect((await stage.run(archive, { create: ["webhooks"] })).exitCode).toBe(0);
    expect(storedRecords(stack, "webhooks")).toHaveLength(1);
  });

  it.each([
    ["was never sent, as the run was stopped", interrupt(), { status: "planned", code: "not-started" }],
    ["says so of another failure", forbidden(), { status: "failed", code: "forbidden" }],
  ])("is not proven by a second one that %s", async (_, error, outcome) => {
    const stack = lagging(1000);
    let creates = 0;
    stack.intercept = (operation) => {
      if (operation === "create webhooks" && (creates += 1) > 1) throw error;
    };
    const run = await importOne(stack);
    expect(run.outcomes[0]).toMatchObject(outcome);
  });

  it("is refused like anything else where no answer was lost: the record is somebody else's", async () => {
    const stack = lagging(6);
    stack.intercept = (operation) => {
      if (operation === "create webhooks")
        throw refuse("rejected", "A webhook with this service and name already exists");
    };
    const run = await importOne(stack);
    expect(run.outcomes[0]).toMatchObject({ status: "failed", code: "rejected" });
    expect(sentTo(stack, "create webhooks")).toHaveLength(1);
  });
});

const failed = (): Response => new Response('{"message":"no"}', { status: 500 });

it.each([
  ["and was stored is found, and not sent a second time", true, 3],
  ["and was not stored is sent again, once it has been looked for", false, 4],
])("a create that ended with 500 %s", async (_, isStored, sends) => {
  await using bench = await smallBench();
  let creates = 0;
  bench.watch = async ({ route }, proceed) => {
    if (route !== "POST dashboards") return proceed();
    creates += 1;
    if (creates > 1) return proceed();
    if (isStored) await proceed();
    return failed();
  };
  const run = await bench.import();
  expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { create: 5 } });
  expect(creates).toBe(sends);
  expect(await namesIn(bench)).toEqual(["One", "Three", "Two"]);
  expect((await bench.entries()).filter(({ type }) => type === "refused")).toEqual([]);
});
