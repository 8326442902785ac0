import { describe, expect, it } from "vitest";
import { changeOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  bodiesSentTo,
  outcomeLines,
  writesDuring,
  type ImportStage,
  type JsonObject,
  type Outcome,
  type RunOptions,
  type StageRun,
} from "../../support/import-stage.ts";
import {
  failOperation,
  interruptionError,
  lostAnswerError,
  memoryStack,
  putRecord,
  refusalError,
  spellIds,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { dashboard, hexId, records, webhook, archiveIds, targetIds } from "../../support/stack-records.ts";
import { documentOf } from "../../support/run-cli.ts";
import { programWithArchive } from "../../support/program-with-archive.ts";
import { usualTarget, archiveOf } from "../../support/import-samples.ts";
import { rollBackJournal } from "../../support/rollback-runs.ts";

const twin = (number: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), "Twin", archiveIds.source, more);
const [one, both] = [archiveOf(twin(16)), archiveOf(twin(16), twin(17))];
const creates = (stack: MemoryStack): number => bodiesSentTo(stack, "create dashboards").length;
const idsIn = (stack: MemoryStack): string[] => recordsOn(stack, "dashboards").map(({ id }) => String(id));
const doneIn = ({ history }: ImportStage): string[] =>
  history.flatMap((entry) => (entry.type === "done" ? [entry.targetId.toLowerCase()] : []));

const lose = (): never => {
  throw lostAnswerError();
};
const kill = (): never => {
  throw new Error("killed");
};

/** Calls `act` at the nth create: before the server carries it out (`intercept`) or after (`interceptAfter`). */
function atCreate(stack: MemoryStack, when: "intercept" | "interceptAfter", nth: number, act: () => void): void {
  let count = 0;
  stack[when] = (operation) => {
    if (operation === "create dashboards" && (count += 1) === nth) act();
  };
}

/** Returns a dashboard named "Twin" that somebody else created. */
const theirs = (number: number, tag = "theirs"): JsonObject =>
  dashboard(hexId("e", number), "Twin", targetIds.source, { tags: [tag] });

/** Prepares a stack, imports onto it, and returns the outcome of "Twin". */
async function imported(
  prepare: (stack: MemoryStack) => void,
  archive = one,
  options: RunOptions = {},
  stack = usualTarget(),
): Promise<{ stack: MemoryStack; run: StageRun; twin: Outcome | undefined }> {
  prepare(stack);
  const run = await importStage(stack).run(archive, options);
  return { stack, run, twin: outcomeOf(run, "Twin") };
}

describe("a create whose response was lost", () => {
  it("is sent again if it was not carried out, although a twin's record is in the list", async () => {
    const { stack, run } = await imported((to) => atCreate(to, "intercept", 2, lose), both);
    expect([run.exitCode, creates(stack)]).toEqual([0, 3]);
    expect(outcomeLines(run.outcomes.slice(0, 2), "targetId").toSorted()).toEqual(idsIn(stack).toSorted());
  });

  const strangers = [1, 2].map((number) => ({ ...theirs(number), name: `Stranger ${number}` }));
  it.each<[string, JsonObject[]]>([
    ["somebody has made others meanwhile", strangers],
    ["one stranger alone is new", strangers.slice(1)],
    ["the list holds what is no record", [{ name: "without id" }, 7 as unknown as JsonObject]],
  ])("is sent again where %s", async (_, news) => {
    const { stack, run, twin } = await imported((to) =>
      atCreate(to, "intercept", 1, () => {
        to.replaceListed = (kind, bodies) => (kind === "dashboards" ? [...bodies, ...news] : bodies);
        lose();
      }),
    );
    expect([run.exitCode, creates(stack), twin?.targetId]).toEqual([0, 2, idsIn(stack)[0]]);
  });

  it("is found in the list as a record of its own for each of three equal creates, and not sent again", async () => {
    const three = archiveOf(twin(16), twin(17), twin(18));
    const { stack, run } = await imported((to) => (to.interceptAfter = lose), three);
    expect(creates(stack)).toBe(3);
    expect(outcomeLines(run.outcomes.slice(0, 3), "targetId").toSorted()).toEqual(idsIn(stack).toSorted());
  });

  it("is not assigned the record of another create of the same name that is still running", async () => {
    const archive = archiveOf(twin(16, { tags: ["one"] }), twin(17, { tags: ["two"] }));
    const { stack, run } = await imported((to) => {
      atCreate(to, "intercept", 1, lose);
      const create = to.client.create.bind(to.client);
      to.client.create = async (kind, body) => {
        const made = await create(kind, body);
        for (let turn = 0; turn < 500; turn += 1) await Promise.resolve();
        return made;
      };
    }, archive);
    const tagsOf = (number: number): unknown =>
      stack.records.get("dashboards")?.get(outcomeOf(run, hexId("a", number))?.targetId ?? "")?.["tags"];
    expect([tagsOf(16), tagsOf(17), creates(stack)]).toEqual([["one"], ["two"], 3]);
  });

  it("is found in the list by its name alone if the stack keeps the record in another form", async () => {
    const { stack, twin } = await imported((to) => {
      to.replaceStored = (_, body) => ({ ...body, tags: ["added"] });
      atCreate(to, "interceptAfter", 1, lose);
    });
    expect(creates(stack)).toBe(1);
    expect(twin).toMatchObject({ status: "done", targetId: idsIn(stack)[0] });
  });

  it("is assigned none of two new records of its name if neither equals the body sent", async () => {
    const { stack, run, twin } = await imported((to) =>
      atCreate(to, "intercept", 1, () => {
        for (const number of [1, 2]) putRecord(to, "dashboards", theirs(number, `theirs ${number}`));
        lose();
      }),
    );
    expect(twin).toMatchObject({ status: "failed", code: "create-unknown" });
    expect(idsIn(stack)).not.toContain(twin?.targetId);
    expect([creates(stack), run.exitCode]).toEqual([1, 3]);
  });

  it("is assigned the equal record, though another record of the same name is listed first", async () => {
    let looks = 0;
    const { stack, run, twin } = await imported((to) =>
      atCreate(to, "interceptAfter", 1, () => {
        putRecord(to, "dashboards", theirs(1));
        to.replaceListed = (kind, bodies) => {
          if (kind === "dashboards") looks += 1;
          return looks < 3 ? bodies.filter(({ id }) => kind !== "dashboards" || id === hexId("e", 1)) : bodies;
        };
        lose();
      }),
    );
    expect(twin?.targetId).not.toBe(hexId("e", 1));
    // Somebody created the other dashboard of this name during the run.
    expect(twin?.code).toBe("doubled");
    expect([creates(stack), run.exitCode]).toEqual([1, 3]);
  });

  it.each([false, true])(
    "is never assigned a record from before the run, even with its id in upper case: %s",
    async (isUpper) => {
      const { stack, run } = await imported(
        (to) =>
          atCreate(to, "intercept", 1, () => {
            if (isUpper) spellIds(to, "toUpperCase");
            lose();
          }),
        both,
        { mapping: { dashboards: { [hexId("a", 17)]: hexId("e", 16) } } },
        usualTarget({ dashboards: [theirs(16)] }),
      );
      expect(idsIn(stack)).toHaveLength(2);
      expect(outcomeOf(run, hexId("a", 16))).toMatchObject({ action: "create", status: "done" });
      expect(outcomeOf(run, hexId("a", 16))?.targetId?.toLowerCase()).not.toBe(hexId("e", 16));
    },
  );

  it("is found and checked, and recognised by the next run, when the list spells its id in another case", async () => {
    const stack = usualTarget();
    spellIds(stack, "toUpperCase");
    atCreate(stack, "interceptAfter", 2, lose);
    const stage = importStage(stack);
    expect([(await stage.run(both)).exitCode, creates(stack)]).toEqual([0, 2]);
    for (const next of [stage, importStage(stack)]) {
      const { plan } = await next.run(both);
      expect(outcomeLines(plan.items.slice(0, 2), "action")).toEqual(["unchanged", "unchanged"]);
    }
  });

  it("is neither looked for in the list nor sent again if the stack refused it", async () => {
    const { stack, twin } = await imported((to) =>
      failOperation(to, "create dashboards", () => refusalError("rejected", "no"), 1),
    );
    expect(twin).toMatchObject({ status: "failed", code: "rejected" });
    const requested = stack.requests.map(({ operation }) => operation).filter((name) => name.endsWith(" dashboards"));
    expect(requested).toEqual(["list dashboards", "create dashboards"]);
  });
});

describe("a create without a recorded end in the journal", () => {
  it("was begun with the ids of the records of its name that the run had created before", async () => {
    const stage = importStage(usualTarget());
    await stage.run(both);
    const intents = stage.history.flatMap((entry) => (entry.type === "intent" ? [entry.namesakes] : []));
    const [first] = stage.history.flatMap((entry) => (entry.type === "done" ? [entry.targetId] : []));
    expect(intents).toEqual([undefined, [first]]);
  });

  it("stays open when its response is lost, and its record, listed later, is assigned to the import", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
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
      const stack = usualTarget();
      const stage = importStage(stack);
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
      const stack = usualTarget();
      const stage = importStage(stack);
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
    const stack = usualTarget();
    const stage = importStage(stack);
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
    ["keep", "skip edited"],
    ["overwrite", "update edited"],
  ] as const)(
    "is not unchanged where somebody has changed it: under --on-conflict %s it is %s",
    async (onConflict, end) => {
      const stack = usualTarget();
      const stage = importStage(stack);
      await stage.run(one);
      changeOn(stack, "dashboards", { tags: ["theirs"] });
      const { outcomes } = await stage.run(one, { onConflict });
      expect(outcomeLines(outcomes.slice(0, 1), "action", "code")).toEqual([end]);
    },
  );

  it("is unchanged where the stack keeps it in another form than it was sent in", async () => {
    const stack = usualTarget();
    stack.replaceStored = (_, body) => ({ ...body, tags: ["added"] });
    const stage = importStage(stack);
    const ours = archiveOf(twin(16, { tags: ["ours"] }));
    await stage.run(ours);
    const run = await stage.run(ours, { onConflict: "overwrite" });
    expect(outcomeOf(run, "Twin")).toMatchObject({ action: "unchanged" });
  });

  it.each([
    ["toLowerCase", "toLowerCase"],
    ["toLowerCase", "toUpperCase"],
    ["toUpperCase", "toLowerCase"],
  ] as const)("is recognised under a name that somebody has given it (id answered %s, listed %s)", async (from, to) => {
    const stack = usualTarget();
    stack.replaceStored = (_, body) => ({ ...body, id: String(body["id"])[from]() });
    spellIds(stack, to);
    const stage = importStage(stack);
    const plain = archiveOf(dashboard(hexId("a", 16), "Twin", "", { tiles: [] }));
    await stage.run(plain);
    changeOn(stack, "dashboards", { name: "Renamed" });
    expect(outcomeOf(await stage.run(plain), "Twin")).toMatchObject({ action: "skip", code: "edited" });
    expect(idsIn(stack)).toHaveLength(1);
  });

  it("is not copied again under a name prefix where the copy was renamed", async () => {
    const stack = usualTarget({ dashboards: [theirs(16)] });
    const stage = importStage(stack);
    const copying = { namePrefix: "Copy of " };
    await stage.run(one, copying);
    const copy = recordsOn(stack, "dashboards").find(({ id }) => id !== hexId("e", 16)) as JsonObject;
    putRecord(stack, "dashboards", { ...copy, name: "Renamed" });
    const again = async (): Promise<void> => {
      const run = await stage.run(one, copying);
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
    const stack = targetWithLaggingList(1000, error);
    const stage = importStage(stack);
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

it.each([
  ["and was stored is found, and not sent a second time", true, 3],
  ["and was not stored is sent again, once it has been looked for", false, 4],
])("a create that ended with 500 %s", async (_, isStored, sends) => {
  await using program = await programWithArchive();
  let creates = 0;
  program.watch = async ({ route }, proceed) => {
    if (route !== "POST dashboards" || (creates += 1) > 1) return proceed();
    if (isStored) await proceed();
    return new Response('{"message":"no"}', { status: 500 });
  };
  const run = await program.import();
  expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { create: 5 } });
  expect(creates).toBe(sends);
  expect(await sortedNamesOn(program.to)).toEqual(["One", "Three", "Two"]);
  expect(program.entries().filter(({ type }) => type === "refused")).toEqual([]);
});
