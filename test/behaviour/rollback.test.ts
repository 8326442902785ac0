import { describe, expect, it } from "vitest";
import { importInto } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { loseAnswer, memoryStack, refuse } from "../support/memory-stack.ts";
import { journalOf, stateOf, undo, undoPlan } from "../support/resume-into.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import {
  beforeFirst,
  callSandbox,
  changeTheOne,
  editJournal,
  emptyStack,
  isWrite,
  listRecords,
  outcomesOf,
  smallBench,
  theOne,
} from "../support/small-bench.ts";
import { alert, dashboard, hexId, records, tileWith, webhook } from "../support/stack-records.ts";
import { logs, theirLogs } from "../support/usual-stacks.ts";

const theirs = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });
const withTheirs = { ...emptyStack("b"), dashboards: [theirs] };
const update = ["--on-conflict", "update"];

/** The writes that a run sends, in their order; answers what is to be asked once it has ended. */
function watchWrites(bench: SmallBench): string[] {
  const writes: string[] = [];
  bench.watch = (request, proceed) => {
    if (isWrite(request)) writes.push(request.route);
    return proceed();
  };
  return writes;
}

const codesOf = (run: Parameters<typeof outcomesOf>[0]): [string, string, string | undefined][] =>
  outcomesOf(run)
    .map(({ name, action, code }): [string, string, string | undefined] => [name, action, code])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

describe("a rollback", () => {
  it("deletes alerts before dashboards, and puts back last", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    const writes = watchWrites(bench);
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 4, update: 1 } });
    expect(writes).toEqual([
      ...Array.from({ length: 2 }, () => "DELETE alerts/{id}"),
      ...Array.from({ length: 2 }, () => "DELETE dashboards/{id}"),
      "PUT dashboards/{id}",
    ]);
  });

  it("done twice does nothing the second time", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    expect((await bench.rollback()).exitCode).toBe(0);
    const writes = watchWrites(bench);
    const entries = await bench.entries();
    for (const more of [[], ["--force"], ["--dry-run"]]) {
      expect(documentOf(await bench.rollback(...more))).toMatchObject({ exitCode: 0, counts: {}, outcomes: [] });
    }
    expect(writes).toEqual([]);
    expect(await bench.entries()).toEqual(entries);
  });

  it("that was stopped half-way goes on where it was", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    bench.watch = (request, proceed) =>
      request.method === "DELETE" && request.route.includes("dashboards")
        ? Response.json({ message: "no" }, { status: 403 })
        : proceed();
    const stopped = await bench.rollback();
    expect(documentOf(stopped)).toMatchObject({ exitCode: 5, error: { code: "forbidden" } });
    const of = (status: string): string[] =>
      outcomesOf(stopped)
        .filter((outcome) => outcome.status === status)
        .map(({ name }) => name);
    expect(of("done").toSorted()).toEqual(["Busy", "Quiet"]);
    expect(of("planned")).toContain("Three");
    expect(outcomesOf(stopped).find(({ name }) => name === "Three")).toMatchObject({ code: "not-started" });
    const writes = watchWrites(bench);
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 2, update: 1 } });
    expect(writes).toHaveLength(3);
    expect(await listRecords(bench.to, "alerts")).toEqual([]);
    expect((await listRecords(bench.to, "dashboards")).map(({ tags }) => tags)).toEqual([["theirs"]]);
  });

  it("whose process was killed between a delete and its answer goes on too", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    expect((await bench.rollback()).exitCode).toBe(0);
    const cut = (text: string): string => `${text.split("\n").slice(0, -3).join("\n")}\n`;
    await editJournal(bench, cut);
    const last = (await bench.entries()).at(-1);
    expect(last?.["type"]).toMatch(/intent|done/);
    const again = documentOf(await bench.rollback());
    expect(again).toMatchObject({ exitCode: 0 });
    expect(outcomesOf(await bench.rollback()).every(({ code }) => code === "gone")).toBe(true);
  });

  it("leaves the records free to be imported again under the same journal, and undone again", async () => {
    await using bench = await smallBench(withTheirs);
    for (let round = 0; round < 2; round += 1) {
      expect(documentOf(await bench.import(...update))).toMatchObject({ counts: { create: 4, update: 1 } });
      expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 4, update: 1 } });
    }
    expect((await listRecords(bench.to, "dashboards")).map(({ name, tags }) => [name, tags])).toEqual([
      ["Three", ["theirs"]],
    ]);
  });

  it("writes nothing under --dry-run and tells all that it would do", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    const writes = watchWrites(bench);
    const entries = await bench.entries();
    const run = await bench.rollback("--dry-run");
    expect(documentOf(run)).toMatchObject({ exitCode: 0, dryRun: true });
    expect(outcomesOf(run).every(({ status }) => status === "planned")).toBe(true);
    expect(outcomesOf(run)).toHaveLength(5);
    expect([writes, await bench.entries()]).toEqual([[], entries]);
    expect(run.stdout).not.toContain("previous");
  });

  it("is planned again with what is there once the question was answered", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    const writes: string[] = [];
    let lists = 0;
    let others: Promise<void> | undefined;
    bench.watch = async (request, proceed) => {
      if (isWrite(request)) writes.push(request.route);
      // The second look at the list comes after the answer.
      if (request.route === "GET dashboards" && request.headers["x-other"] === undefined) {
        lists += 1;
        if (lists === 2) {
          lists = 9;
          others = changeTheOne(bench.to, "dashboards", "Three", { tags: ["theirs now"] });
          await others;
        }
      }
      return proceed();
    };
    const run = await bench.rollback();
    expect(run.exitCode).toBe(3);
    expect(codesOf(run)).toContainEqual(["Three", "skip", "changed-since"]);
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["theirs now"]);
  });

  it("asks on a terminal, and does nothing for any answer but yes", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    const writes = watchWrites(bench);
    const terminal = { columns: 80, answers: ["n"] };
    const words = ["rollback", "j", "--to", bench.to.stack];
    expect((await bench.run(words, { terminal })).exitCode).toBe(1);
    expect(writes).toEqual([]);
    expect((await bench.run(words, { terminal: { columns: 80, answers: ["y"] } })).exitCode).toBe(0);
    expect(writes).toHaveLength(5);
    // There is nothing left to ask about.
    expect((await bench.run(words, { terminal })).exitCode).toBe(0);
  });

  it("is refused without its journal (exit 2)", async () => {
    await using bench = await smallBench();
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  });

  it("is incomplete (exit 3) where the stack refuses one, and does the others", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    bench.watch = (request, proceed) =>
      request.route === "DELETE alerts/{id}" && request.routeCount === 1
        ? Response.json({ message: "no" }, { status: 400 })
        : proceed();
    const run = await bench.rollback();
    expect(documentOf(run)).toMatchObject({ exitCode: 3, counts: { failed: 1 } });
    expect(outcomesOf(run).filter(({ status }) => status === "failed")).toMatchObject([{ code: "rejected" }]);
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["theirs"]);
  });
});

describe("what a rollback leaves alone", () => {
  it("is what was changed since (exit 3, also of a dry run); --force undoes it all the same", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["later"] });
    const { id: _id, ...busy } = await theOne(bench.to, "alerts", "Busy");
    const { id } = await theOne(bench.to, "alerts", "Busy");
    await callSandbox(bench.to, "PUT", `alerts/${id}`, { ...busy, threshold: 99 });
    expect((await bench.rollback("--dry-run")).exitCode).toBe(3);
    const run = await bench.rollback();
    expect(run.exitCode).toBe(3);
    const nextStep = { message: expect.stringContaining("--force") };
    expect(outcomesOf(run).filter(({ action }) => action === "skip")).toMatchObject([
      nextStep,
      nextStep,
      nextStep,
      nextStep,
    ]);
    expect(codesOf(run)).toEqual([
      ["Busy", "skip", "changed-since"],
      ["One", "skip", "in-use"],
      ["Quiet", "delete", undefined],
      ["Three", "skip", "changed-since"],
      ["Two", "skip", "in-use"],
    ]);
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["later"]);
    expect(await listRecords(bench.to, "alerts")).toHaveLength(1);
    expect(documentOf(await bench.rollback("--force"))).toMatchObject({
      exitCode: 0,
      counts: { delete: 3, update: 1 },
    });
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["theirs"]);
    expect(await listRecords(bench.to, "alerts")).toEqual([]);
  });

  it("is what somebody else's record points to (in-use), which --force does not ask about", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    const three = await theOne(bench.to, "dashboards", "Three");
    const body = alert("", "Foreign", three, hexId("b", 2));
    const { id: _id, state: _state, ...sent } = body;
    await callSandbox(bench.to, "POST", "alerts", sent);
    const plan = await bench.rollback("--dry-run");
    expect(codesOf(plan)).toContainEqual(["Three", "skip", "in-use"]);
    const run = await bench.rollback();
    expect(documentOf(run)).toMatchObject({ exitCode: 3, counts: { delete: 4, skip: 1 } });
    expect((await listRecords(bench.to, "alerts")).map(({ name }) => name)).toEqual(["Foreign"]);
    expect((await listRecords(bench.to, "dashboards")).map(({ name }) => name)).toEqual(["Three"]);
    expect(documentOf(await bench.rollback("--force"))).toMatchObject({ exitCode: 0, counts: { delete: 1 } });
    expect(await listRecords(bench.to, "dashboards")).toEqual([]);
  });

  it("is what is what it was before already (put-back)", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["theirs"] });
    const writes = watchWrites(bench);
    const run = await bench.rollback();
    expect(run.exitCode).toBe(0);
    expect(outcomesOf(run).find(({ name }) => name === "Three")).toMatchObject({ action: "skip", code: "put-back" });
    expect(writes.filter((route) => route.startsWith("PUT"))).toEqual([]);
    expect(codesOf(await bench.rollback("--force"))).toContainEqual(["Three", "skip", "put-back"]);
  });

  it("is an update of which the journal does not hold what was there (no-previous), even under --force", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    await editJournal(bench, (text) => text.replace(/"previous":\{.*\},"content"/, '"content"'));
    expect((await bench.entries()).some(({ previous }) => previous !== undefined)).toBe(false);
    for (const more of [[], ["--force"]]) {
      const run = await bench.rollback(...more);
      expect(run.exitCode).toBe(3);
      expect(codesOf(run)).toContainEqual(["Three", "skip", "no-previous"]);
    }
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["kept"]);
  });

  it("is what held a secret, which the journal does not keep (redacted)", async () => {
    const config = { displayType: "markdown", markdown: "token: ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5" };
    const tiles = [tileWith(hexId("d", 18), "Notes", config)];
    const secret = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tiles });
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [secret] });
    expect((await bench.import(...update)).exitCode).toBe(0);
    expect(JSON.stringify(await bench.entries())).not.toContain("ghp_");
    for (const more of [[], ["--force"]]) {
      expect(codesOf(await bench.rollback(...more))).toContainEqual(["Three", "skip", "redacted"]);
    }
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["kept"]);
  });

  it("is what is no longer there (gone)", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    const { id } = await theOne(bench.to, "alerts", "Quiet");
    await callSandbox(bench.to, "DELETE", `alerts/${id}`);
    const writes = watchWrites(bench);
    const run = await bench.rollback();
    expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { delete: 4, skip: 1 } });
    expect(codesOf(run)).toContainEqual(["Quiet", "skip", "gone"]);
    expect(writes).toHaveLength(4);
  });

  it("is what the import updated and somebody has deleted since: the text names it", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    const { id } = await theOne(bench.to, "dashboards", "Three");
    await callSandbox(bench.to, "DELETE", `dashboards/${id}`);
    const run = await runCli(["rollback", "j", "--to", bench.to.stack, "--consistency-wait", "1ms", "--yes"], {
      cwd: bench.cwd,
      env: bench.env,
    });
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/gone.*"?Three/s) });
  });

  it("is what the import found there and did not write", async () => {
    await using bench = await smallBench(withTheirs);
    expect(documentOf(await bench.import())).toMatchObject({ counts: { create: 3 + 1 } });
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 4 } });
    expect(await theOne(bench.to, "dashboards", "Three")).toMatchObject({ id: theirs["id"], tags: ["theirs"] });
  });
});

describe("a record that is changed between a rollback's plan and its write", () => {
  it("is not put back (changed-since, exit 3), and the next rollback says so in its plan", async () => {
    await using bench = await smallBench(withTheirs);
    expect((await bench.import(...update)).exitCode).toBe(0);
    bench.watch = beforeFirst(
      ({ route }) => route === "DELETE dashboards/{id}",
      () => changeTheOne(bench.to, "dashboards", "Three", { tags: ["in between"] }),
    );
    const run = await bench.rollback();
    expect(run.exitCode).toBe(3);
    expect(outcomesOf(run).find(({ name }) => name === "Three")).toMatchObject({
      action: "update",
      status: "failed",
      code: "changed-since",
    });
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["in between"]);
    expect(codesOf(await bench.rollback())).toEqual([["Three", "skip", "changed-since"]]);
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["in between"]);
  });

  it("is not updated by an import either", async () => {
    await using bench = await smallBench(withTheirs);
    bench.watch = beforeFirst(
      ({ route }) => route === "GET dashboards/{id}",
      () => changeTheOne(bench.to, "dashboards", "Three", { tags: ["in between"] }),
    );
    const run = await bench.import(...update);
    expect(run.exitCode).toBe(3);
    expect(outcomesOf(run).find(({ name }) => name === "Three")).toMatchObject({
      status: "failed",
      code: "changed-since",
    });
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["in between"]);
  });
});

describe("a rollback's plan", () => {
  const board = (number: number, name = `Board ${number}`, tags: readonly string[] = []) =>
    dashboard(hexId("a", number), name, hexId("a", 1), { tags });
  const target = (more: readonly ReturnType<typeof board>[] = []): MemoryStack =>
    memoryStack({
      dashboards: more,
      sources: [theirLogs],
      alerts: [],
      webhooks: [webhook(hexId("b", 2), "pager")],
    });
  const archived = (...boards: readonly ReturnType<typeof board>[]) => records({ dashboards: boards, sources: [logs] });
  const idOf = (stack: MemoryStack, name: string): string =>
    [...(stack.records.get("dashboards")?.values() ?? [])].find((body) => body["name"] === name)?.["id"] as string;

  async function imported(stack: MemoryStack, ...boards: readonly ReturnType<typeof board>[]) {
    const journal = journalOf();
    await importInto(stack, archived(...boards), { onConflict: "update" }, journal);
    return journal.appended;
  }

  it("follows a record whose id is spelled in another case now, and deletes it under that one", async () => {
    const stack = target();
    const entries = await imported(stack, board(16));
    const shouted = entries.map((entry) =>
      entry.type === "done" ? { ...entry, targetId: entry.targetId.toUpperCase() } : entry,
    );
    const id = idOf(stack, "Board 16");
    expect(await undoPlan(stack, shouted)).toMatchObject([{ action: "delete", targetId: id }]);
    const { entries: after } = await undo(stack, shouted);
    expect(stack.records.get("dashboards")?.size).toBe(0);
    expect(stateOf(after).records.size).toBe(0);
  });

  it("names as user only what stays: records that are deleted too, of whatever kind, do not count", async () => {
    const stack = target();
    const entries = await imported(stack, board(16), board(17));
    const onClick = { type: "dashboard", target: { mode: "id", id: idOf(stack, "Board 16") } };
    const tiles = [{ id: "t", name: "T", config: { displayType: "table", onClick } }];
    const foreign = dashboard(hexId("d", 1), "Foreign", hexId("b", 1), { tiles });
    stack.records.get("dashboards")?.set(hexId("d", 1), foreign);
    const plan = await undoPlan(stack, entries);
    expect(plan.map(({ name, action, code }) => [name, action, code])).toEqual([
      ["Board 17", "delete", undefined],
      ["Board 16", "skip", "in-use"],
    ]);
    expect((await undoPlan(stack, entries, true)).map(({ action }) => action)).toEqual(["delete", "delete"]);
  });

  it("puts back the whole of what was there: members that the update added are cleared", async () => {
    const mine = { ...dashboard(hexId("b", 16), "Board 16", hexId("b", 1)), tags: ["mine"] };
    const stack = target([mine]);
    const filters = [{ id: "f", type: "QUERY_EXPRESSION", name: "F", expression: "x", sourceId: hexId("a", 1) }];
    const entries = await imported(stack, { ...board(16), tags: ["new"], filters, savedQuery: "a:b" });
    expect(stack.records.get("dashboards")?.get(hexId("b", 16))).toMatchObject({ savedQuery: "a:b", tags: ["new"] });
    expect((await undo(stack, entries)).outcomes).toMatchObject([{ action: "update", status: "done" }]);
    expect(stack.records.get("dashboards")?.get(hexId("b", 16))).toMatchObject({
      tags: ["mine"],
      filters: [],
      savedQuery: null,
    });
    const [put] = stack.requests.filter(({ operation }) => operation === "update dashboards").slice(-1);
    for (const member of ["id", "createdAt", "updatedAt", "teamId"]) expect(put?.body).not.toHaveProperty(member);
  });

  it("goes on with the others where one is gone by then, and stops where the stack does not answer", async () => {
    const stack = target();
    const entries = await imported(stack, board(16), board(17), board(18));
    let deletes = 0;
    stack.intercept = (operation) => {
      if (operation !== "delete dashboards") return;
      deletes += 1;
      if (deletes === 1) throw refuse("not-found", "it is gone");
    };
    const first = await undo(stack, entries);
    expect(first.stopped).toBeUndefined();
    expect(first.outcomes.map(({ status, code }) => [status, code])).toEqual([
      ["failed", "not-found"],
      ["done", undefined],
      ["done", undefined],
    ]);
    stack.intercept = (operation) => {
      if (operation === "delete dashboards") throw loseAnswer();
    };
    const second = await undo(stack, first.entries);
    expect(second.stopped).toMatchObject({ code: "unreachable" });
    stack.intercept = () => {};
    const third = await undo(stack, second.entries);
    expect(third.outcomes).toMatchObject([{ action: "delete", status: "done" }]);
    expect(stack.records.get("dashboards")?.size).toBe(0);
  });

  it("takes no more records for lost creates than there were, each under its own key", async () => {
    const stack = target();
    const entries = await imported(stack, board(16), board(17));
    const open = entries.filter(({ type }) => type === "begin" || type === "intent");
    const plan = await undoPlan(stack, open);
    expect(new Set(plan.map(({ key, targetId, action }) => `${key} ${targetId} ${action}`))).toEqual(
      new Set([16, 17].map((number) => `dashboards/${hexId("a", number)} ${idOf(stack, `Board ${number}`)} delete`)),
    );
  });
});
