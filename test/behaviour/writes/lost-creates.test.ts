import { describe, expect, it } from "vitest";
import { archiveOf, board, usualTarget } from "../../support/import-samples.ts";
import {
  importInto,
  importStage,
  outcomeLines,
  outcomeOf,
  type JsonObject,
  type Outcome,
  type RunOptions,
  type StageRun,
} from "../../support/import-stage.ts";
import { failOperation, putRecord, refusalError, spellIds, type MemoryStack } from "../../support/memory-stack.ts";
import { sortedNamesOn } from "../../support/on-stack.ts";
import { programWithArchive } from "../../support/program-with-archive.ts";
import { documentOf } from "../../support/run-cli.ts";
import { dashboard, hexId, targetIds } from "../../support/stack-records.ts";
import { atCreate, both, creates, idsIn, lose, one, twin } from "./twins.ts";

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
  const run = await importInto(stack, archive, options);
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

/** What happens to the create of a dashboard. */
type End = "lost" | "rejected" | "well";

describe("creates that fail, one after another,", () => {
  const boards = Array.from({ length: 12 }, (_, index) => board(index));

  it.each<[string, endOf: (number: number) => End, stopped: string | undefined, exitCode: number, failed: number[]]>([
    ["end the run after five lost answers in a row", () => "lost", "unreachable", 6, [5, 6]],
    ["are counted anew after a success", (number) => (number % 2 === 0 ? "lost" : "well"), undefined, 3, [6]],
    ["do not count where the stack did not like the record", () => "rejected", undefined, 3, [12]],
  ])("%s", async (_, endOf, stopped, exitCode, failed) => {
    const stack = usualTarget();
    stack.intercept = (operation, body) => {
      if (operation !== "create dashboards") return;
      const end = endOf(Number(String(body?.["name"]).split(" ")[1]));
      if (end === "lost") lose();
      if (end === "rejected") throw refusalError("rejected", "no");
    };
    const run = await importInto(stack, archiveOf(...boards), { concurrency: 1 });
    expect([run.stopped?.code, run.exitCode]).toEqual([stopped, exitCode]);
    expect(failed).toContain(run.outcomes.filter(({ status }) => status === "failed").length);
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
