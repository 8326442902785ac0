import { describe, expect, it } from "vitest";
import { callSandbox } from "../../support/read-sandbox.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { outcomeLines, writesOn, type JournalEntry, type JsonObject } from "../../support/import-stage.ts";
import { instantClock } from "../../support/instant-clock.ts";
import {
  failOperation,
  interruptionError,
  namesOn,
  putRecord,
  refusalError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import {
  contentOf,
  importOnce,
  killRollback,
  readAfter,
  deletionEntries,
  imageOf,
  rollBackJournal,
  planRollbackOf,
  timeOf,
  type ImportedStack,
} from "../../support/rollback-runs.ts";
import { alert, dashboard, hexId, linkingTable, records, tileWith, targetIds } from "../../support/stack-records.ts";
import { dependencies, usualTarget } from "../../support/import-samples.ts";
import { documentOf, type CliRun } from "../../support/run-cli.ts";
import { programWithArchive, programAfterImport, type ProgramWithArchive } from "../../support/program-with-archive.ts";

// A mirror deleted these dashboards. A rollback creates them again, with their links and with texts that mention their ids.

const textOn = (number: number): string => `See https://stack.test/dashboards/${hexId("b", number)}?from=now-1h.`;
const notes = (number: number, markdown: string): JsonObject =>
  tileWith(hexId("d", number + 200), "Notes", { displayType: "markdown", markdown });
const table = (number: number, to: number): JsonObject =>
  tileWith(hexId("d", number + 100), "Table", linkingTable(hexId("b", to), targetIds.source));

/** Returns a dashboard whose first tile links to another dashboard. */
const linking = (number: number, name: string, to: number): JsonObject =>
  dashboard(hexId("b", number), name, "", { tiles: [table(number, to)] });
/** Returns a dashboard that mentions another dashboard in its only text, and has no link. */
const mentioning = (number: number, name: string, to: number): JsonObject =>
  dashboard(hexId("b", number), name, "", { tiles: [notes(number, textOn(to))] });
const pairOf = (make: typeof linking): [JsonObject, JsonObject] => [make(20, "One", 21), make(21, "Two", 20)];

const afterDeletion = (bodies: readonly JsonObject[], stack: MemoryStack = usualTarget()): ImportedStack => ({
  stack,
  entries: bodies.flatMap((body) => deletionEntries("dashboards", body)),
});

/** Returns, for each dashboard's name, the name of the dashboard whose id occurs in this part of its tiles. */
function namesInPart(stack: MemoryStack, part: "onClick" | "markdown"): Readonly<Record<string, unknown>> {
  const dashboards = recordsOn(stack, "dashboards");
  return Object.fromEntries(
    dashboards.map(({ name, tiles }) => {
      const configs = (tiles as { config: JsonObject }[]).map(({ config }) => JSON.stringify(config[part]) ?? "");
      return [name, dashboards.find(({ id }) => configs.join(" ").includes(String(id)))?.["name"]];
    }),
  );
}

const BOTH = { One: "Two", Two: "One" };

/**
 * Rolls the import back twice, and expects that the second rollback writes and reports nothing. Returns the writes of the
 * first.
 */
async function undoTwice(stack: MemoryStack, entries: readonly JournalEntry[]): Promise<readonly string[]> {
  const { entries: after, exitCode, outcomes } = await rollBackJournal(stack, entries);
  expect(exitCode).toBe(0);
  expect(outcomes.every(({ status }) => status === "done")).toBe(true);
  const writes = writesOn(stack);
  expect((await rollBackJournal(stack, after)).outcomes).toEqual([]);
  expect(writesOn(stack)).toEqual(writes);
  return outcomeLines(outcomes);
}

describe("a rollback that creates linked dashboards again", () => {
  const [one, two] = pairOf(linking);
  const three = [one, two, dashboard(hexId("b", 22), "Plain", targetIds.source)];

  it("brings their links back, with a second write where one closes a cycle", async () => {
    const { stack, entries } = afterDeletion(three);
    expect(await undoTwice(stack, entries)).toEqual(["One create done", "Two create done", "Plain create done"]);
    expect(namesInPart(stack, "onClick")).toMatchObject(BOTH);
    expect(writesOn(stack).toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => "create dashboards"),
      "update dashboards",
    ]);
  });

  it.each([
    ["refused", () => refusalError("rejected", "no"), "failed rejected"],
    ["never sent", interruptionError, "done link-failed"],
  ] as const)("reports a link that cannot be written, as %s, and nothing else fails", async (_, error, end) => {
    const { stack, entries } = afterDeletion(three);
    failOperation(stack, "update dashboards", error);
    const ends = ["One create done", `Two create ${end}`, "Plain create done"];
    expect(outcomeLines((await rollBackJournal(stack, entries)).outcomes)).toEqual(ends);
  });

  it("leaves a dashboard to whoever edits it before its link is written", async () => {
    const { stack, entries } = afterDeletion([one, two]);
    failOperation(stack, "update dashboards", () => new Error("nobody may overwrite the edit"));
    stack.interceptAfter = () => changeOn(stack, "dashboards", { tags: ["theirs"] });
    const ends = ["One create done", "Two create failed changed-since"];
    expect(outcomeLines((await rollBackJournal(stack, entries)).outcomes)).toEqual(ends);
  });

  it("puts the links of updated dashboards back in one write each", async () => {
    const pair = (letter: "a" | "b", more: JsonObject): JsonObject[] =>
      [20, 21].map((number) => {
        const config = linkingTable(hexId(letter, 41 - number), hexId(letter, 1));
        const tiles = [tileWith(hexId(letter === "a" ? "d" : "e", number), "Table", config)];
        return dashboard(hexId(letter, number), `Board ${number}`, "", { tiles, ...more });
      });
    const before = pair("b", { tags: ["theirs"] });
    const ours = records({ dashboards: pair("a", {}), ...dependencies.ours });
    const { stack, entries } = await importOnce(ours, usualTarget({ dashboards: before }), { onConflict: "overwrite" });
    expect(recordsOn(stack, "dashboards").map(({ tags }) => tags)).toEqual([[], []]);
    await rollBackJournal(stack, entries);
    expect(recordsOn(stack, "dashboards")).toMatchObject(before);
    expect(writesOn(stack)).toEqual(["update dashboards", "update dashboards"]);
  });
});

describe("a rollback that was killed while it made dashboards again", () => {
  /** Returns a dashboard that links to another dashboard and mentions it in its text. */
  const both = (number: number, name: string, to: number): JsonObject =>
    dashboard(hexId("b", number), name, "", { tiles: [table(number, to), notes(number, textOn(to))] });
  const [one, two] = pairOf(both);
  const message = `See /dashboards/${hexId("b", 21)}`;
  const watching = alert(hexId("b", 32), "Watching", one, targetIds.webhook, { message });
  const entries = [...deletionEntries("alerts", watching), ...afterDeletion([one, two]).entries];

  it.each([1, 2, 3, 4].flatMap((at) => [["before", at] as const, ["after", at] as const]))(
    "%s write %i is finished by the next one: nothing is doubled or left out",
    async (moment, at) => {
      const stack = usualTarget();
      await undoTwice(stack, await killRollback({ stack, entries }, moment, at));
      expect(namesInPart(stack, "onClick")).toEqual(BOTH);
      expect(namesInPart(stack, "markdown")).toEqual(BOTH);
      expect(recordsOn(stack, "alerts")).toMatchObject([
        {
          name: "Watching",
          dashboardId: recordOn(stack, "dashboards", "One").id,
          message: `See /dashboards/${recordOn(stack, "dashboards", "Two").id}`,
        },
      ]);
    },
  );

  const linked = async (at: number, deleted = afterDeletion(pairOf(linking))): Promise<ImportedStack> => {
    const history = await killRollback(deleted, "before", at, { fitLimits: true });
    return { stack: deleted.stack, entries: history };
  };
  const finishing = ["Two update"];

  it("has its links added by the next one to the form that --fit-limits gave the dashboards", async () => {
    const wide = pairOf((number, name, to) => {
      return dashboard(hexId("b", number), name, "", { tiles: [{ ...table(number, to), w: 36 }] });
    });
    const { stack, entries: history } = await linked(3, afterDeletion(wide));
    const refused = ["Two blocked failed needs-fitting"];
    expect(outcomeLines((await rollBackJournal(stack, history)).outcomes)).toEqual(refused);
    const { outcomes } = await rollBackJournal(stack, history, { fitLimits: true });
    expect(outcomeLines(outcomes)).toEqual(["Two update done"]);
    expect(namesInPart(stack, "onClick")).toEqual(BOTH);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tiles: [{ w: 24 }] }, { tiles: [{ w: 24 }] }]);
  });

  it("has both dashboards linked by the next one where it had made only one", async () => {
    const { stack, entries: history } = await linked(2);
    expect(outcomeLines(await planRollbackOf(stack, history))).toEqual(["One create", "Two update"]);
  });

  it("leaves a dashboard that somebody has changed since to them", async () => {
    const { stack, entries: history } = await linked(3);
    changeOn(stack, "dashboards", { tags: ["mine"] }, "Two");
    expect(outcomeLines(await planRollbackOf(stack, history))).toEqual(["Two skip changed-since"]);
  });

  it("loses what it made when it is undone itself; only a rollback of the deleting run finishes the links", async () => {
    const { stack, entries: history } = await linked(3);
    expect(outcomeLines(await planRollbackOf(stack, history, false, 2))).toEqual(["Two delete", "One delete"]);
    expect(outcomeLines(await planRollbackOf(stack, history, false, 1))).toEqual(finishing);
  });

  it("is not confused with a complete one: links that somebody took out after that stay out", async () => {
    const { stack, entries: all } = afterDeletion(pairOf(linking));
    const { entries: after } = await rollBackJournal(stack, all);
    for (const body of recordsOn(stack, "dashboards")) {
      const tiles = (body["tiles"] as { config: JsonObject }[]).map((tile) => {
        const { onClick: _, ...config } = tile.config;
        return { ...tile, config };
      });
      putRecord(stack, "dashboards", { ...(body as JsonObject), tiles });
    }
    expect(await planRollbackOf(stack, after)).toEqual([]);
  });

  it("has a dashboard that may be on the stack in another form left as it is, and not created again", async () => {
    const stack = usualTarget();
    const history = await killRollback({ stack, entries }, "after", 1);
    changeOn(stack, "dashboards", { tags: ["kept otherwise"] });
    const of = outcomeLines(await planRollbackOf(stack, history)).filter((line) =>
      line.startsWith(String(namesOn(stack)[0])),
    );
    expect(of).toEqual([expect.stringContaining("skip changed-since")]);
  });

  it("has the second of two equal dashboards created by the next one after it made the first", async () => {
    const twin = dashboard(hexId("b", 40), "Twin", targetIds.source);
    const deleted = afterDeletion([twin, { ...twin, id: hexId("b", 41) }]);
    await rollBackJournal(deleted.stack, await killRollback(deleted, "before", 2));
    expect(namesOn(deleted.stack)).toEqual(["Twin", "Twin"]);
  });

  it("lists that lag are waited for: for what it began, what it made, and what had been deleted", async () => {
    const waitOf = async (stack: MemoryStack, history: readonly JournalEntry[], at: string): Promise<number> =>
      (await readAfter(stack, history, instantClock(Date.parse(at)))).waitedMs;
    const stack = usualTarget();
    const history = await killRollback({ stack, entries }, "after", 1);
    expect(await waitOf(stack, history, timeOf(history))).toBe(10_000);
    const { entries: after } = await rollBackJournal(stack, history);
    const at = timeOf(after);
    expect(await waitOf(stack, after, at)).toBe(0);
    stack.replaceListed = () => [];
    expect(await waitOf(stack, after, at)).toBe(10_000);
    const begun = "2026-01-01T00:00:00.000Z";
    const deleted = [...entries, { type: "end", at: begun } as const];
    expect(await waitOf(usualTarget({ dashboards: [one, two] }), deleted, begun)).toBe(10_000);
  });
});

describe("a text that mentions a record which a rollback creates again", () => {
  const pair = pairOf(mentioning);

  /** Returns the journal entries of a dashboard's update. */
  function updated(previous: JsonObject, current: JsonObject): JournalEntry[] {
    const at = "2026-01-01T00:00:00.000Z";
    const write = { at, key: "dashboards/x", write: "update", targetId: String(previous["id"]) } as const;
    return [
      { type: "begin", at, run: 1 },
      { type: "intent", name: String(previous["name"]), image: imageOf("dashboards", previous), ...write },
      { type: "done", content: contentOf("dashboards", current), ...write },
    ];
  }

  /** Runs a rollback that is killed after its first create, before it sends the second. */
  async function killedAfterFirst(): Promise<ImportedStack & { readonly first: JsonObject }> {
    const deleted = afterDeletion(pair);
    const entries = await killRollback(deleted, "before", 2);
    const [first, ...more] = recordsOn(deleted.stack, "dashboards");
    expect(more).toEqual([]);
    return { stack: deleted.stack, entries, first: first as JsonObject };
  }

  it("gets the new id in a record that is created again, too", async () => {
    const { stack, entries } = afterDeletion(pair);
    await undoTwice(stack, entries);
    expect(namesInPart(stack, "markdown")).toEqual(BOTH);
  });

  it("gets the new id in a record that is restored", async () => {
    const before = mentioning(22, "Speaking", 20);
    const current = { ...before, tags: ["imported"] };
    const stack = usualTarget({ dashboards: [current] });
    await undoTwice(stack, [...afterDeletion(pair).entries, ...updated(before, current)]);
    expect(namesInPart(stack, "markdown")).toEqual({ ...BOTH, Speaking: "One" });
  });

  it("gets the new id after an interrupted rollback, though only the next one creates the other record", async () => {
    const { stack, entries } = await killedAfterFirst();
    await undoTwice(stack, entries);
    expect(namesInPart(stack, "markdown")).toEqual(BOTH);
  });

  it("stay as somebody has written them since, with or without the old id", async () => {
    const { stack, entries, first } = await killedAfterFirst();
    const number = first["name"] === "One" ? 21 : 20;
    const [tile] = first["tiles"] as JsonObject[];
    const markdown = `Mine: ${textOn(number)}`;
    putRecord(stack, "dashboards", { ...first, tiles: [{ ...tile, config: { displayType: "markdown", markdown } }] });
    await rollBackJournal(stack, entries);
    expect(namesOn(stack)).toHaveLength(2);
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).toContain(markdown);
  });

  it("stay unchanged if they mention a record that is restored under its id", async () => {
    const before = dashboard(hexId("b", 22), "Kept", "");
    const current = { ...before, tags: ["imported"] };
    const stack = usualTarget({ dashboards: [current] });
    await undoTwice(stack, [...afterDeletion([mentioning(23, "Speaking", 22)]).entries, ...updated(before, current)]);
    expect(namesInPart(stack, "markdown")).toMatchObject({ Speaking: "Kept" });
  });

  it("does not have the other record created a second time where somebody has created it by hand", async () => {
    const { stack, entries, first } = await killedAfterFirst();
    const other = first["name"] === "One" ? pair[1] : pair[0];
    const isBegun = (entry: JournalEntry): boolean =>
      entry.type === "intent" && entry.write === "create" && entry.key.endsWith(String(other["id"]));
    putRecord(stack, "dashboards", { ...other, id: hexId("e", 1) });
    await rollBackJournal(
      stack,
      entries.filter((entry) => !isBegun(entry)),
    );
    expect(namesOn(stack)).toHaveLength(2);
  });
});

/** Creates a dashboard on the target that no import made, whose text mentions the dashboard with this name. */
async function mention(program: ProgramWithArchive, name: string): Promise<void> {
  const { id } = await recordOn(program.to, "dashboards", name);
  const config = { displayType: "markdown", markdown: `see /dashboards/${id}` };
  const tiles = [{ name: "Notes", x: 0, y: 0, w: 6, h: 3, config }];
  await callSandbox(program.to, "POST", "dashboards", { name: "Mine", tiles, tags: [], filters: [] });
}

const deadLinks = (run: CliRun): string[] =>
  (documentOf(run)["warnings"] as { code: string; message: string }[]).flatMap(({ code, message }) =>
    code === "dead-link" ? [message] : [],
  );

describe("a link in somebody else's text to a record that a run deletes", () => {
  it("is named by the mirror, and by the rollback that creates the record again", async () => {
    await using program = await programWithArchive();
    const migrate = (...more: string[]): Promise<CliRun> => program.run(program.migration("--yes", ...more));
    await migrate();
    await mention(program, "Three");
    const { id } = await recordOn(program.from, "dashboards", "Three");
    await callSandbox(program.from, "DELETE", `dashboards/${id}`);
    const mirror = ["--mirror", "--max-delete", "9"];
    const planned = await migrate(...mirror, "--dry-run");
    const done = await migrate(...mirror);
    for (const run of [planned, done]) {
      expect(deadLinks(run)).toEqual([expect.stringMatching(/"Mine".*"Three"/)]);
    }
    const back = await program.rollback();
    expect(back.exitCode).toBe(0);
    expect(deadLinks(back)).toEqual([expect.stringMatching(/"Mine".*"Three".*by hand$/)]);
  });

  it("is to be set by hand after a rollback, also where the two link to each other", async () => {
    await using program = await programWithArchive();
    const migrate = (...more: string[]): Promise<CliRun> => program.run(program.migration("--yes", ...more));
    await migrate();
    await mention(program, "Three");
    const mine = await recordOn(program.to, "dashboards", "Mine");
    const config = {
      ...linkingTable(mine.id, targetIds.source),
      select: [{ aggFn: "count", whereLanguage: "lucene" }],
    };
    await changeOn(
      program.to,
      "dashboards",
      {
        tiles: [{ name: "Links", x: 0, y: 0, w: 6, h: 3, config }],
      },
      "Three",
    );
    const { id } = await recordOn(program.from, "dashboards", "Three");
    await callSandbox(program.from, "DELETE", `dashboards/${id}`);
    const mirror = ["--mirror", "--max-delete", "9", "--on-conflict", "overwrite"];
    expect((await migrate(...mirror)).exitCode).toBe(0);
    expect(deadLinks(await program.rollback())).toEqual([expect.stringMatching(/"Mine".*by hand$/)]);
  });

  it("is named by the rollback that deletes it", async () => {
    await using program = await programAfterImport();
    await mention(program, "Three");
    const back = await program.rollback();
    expect((await recordsOn(program.to, "dashboards")).map(({ name }) => name)).toEqual(["Mine"]);
    expect(deadLinks(back)).toEqual([expect.stringMatching(/"Mine".*"Three"/)]);
  });
});
