import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import {
  callSandbox,
  changeTheOne,
  editJournal,
  emptyStack,
  isWrite,
  listRecords,
  outcomesOf,
  smallBench,
  theOne,
  namesIn,
} from "../support/small-bench.ts";
import { dashboard, hexId } from "../support/stack-records.ts";

/** Runs an import whose process dies at its nth write; the journal is what it was at that moment. */
async function killAt(bench: SmallBench, nth: number, moment: "before" | "after", ...more: string[]): Promise<boolean> {
  let writes = 0;
  let left: string | undefined;
  const dead = (): Response => Response.json({ message: "the program is gone" }, { status: 403 });
  bench.watch = async (request, proceed) => {
    if (left !== undefined) return dead();
    if (!isWrite(request) || (writes += 1) < nth) return proceed();
    if (writes > nth) return dead();
    if (moment === "after") await proceed();
    left = readFileSync(join(bench.cwd, "j"), "utf8");
    return dead();
  };
  await bench.import(...more);
  bench.watch = (_, proceed) => proceed();
  if (left !== undefined) await writeFile(join(bench.cwd, "j"), left);
  return left !== undefined;
}

async function clickOf(bench: SmallBench, name: string): Promise<string> {
  const { tiles } = (await theOne(bench.to, "dashboards", name)) as unknown as {
    tiles: { config: { onClick?: { target: { id: string } } } }[];
  };
  return tiles[1]?.config.onClick?.target.id ?? "";
}

describe("an import whose process is killed at a write", () => {
  const writes = [1, 2, 3, 4, 5, 6];
  const moments = ["before", "after"] as const;
  it.each(writes.flatMap((nth) => moments.map((moment) => [nth, moment] as const)))(
    "number %i, %s the stack has carried it out, is finished by the next run and undone as a whole",
    async (nth, moment) => {
      await using bench = await smallBench();
      expect(await killAt(bench, nth, moment)).toBe(true);
      expect(documentOf(await bench.import())).toMatchObject({ exitCode: 0 });
      expect(await namesIn(bench)).toEqual(["One", "Three", "Two"]);
      expect(await namesIn(bench, "alerts")).toEqual(["Busy", "Quiet"]);
      expect(await clickOf(bench, "One")).toBe((await theOne(bench.to, "dashboards", "Two")).id);
      expect(await clickOf(bench, "Two")).toBe((await theOne(bench.to, "dashboards", "One")).id);
      expect(documentOf(await bench.import())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
      expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
      expect([...(await namesIn(bench)), ...(await namesIn(bench, "alerts"))]).toEqual([]);
    },
  );

  it("is undone by a rollback at once, what nobody wrote the end of included", async () => {
    await using bench = await smallBench();
    expect(await killAt(bench, 5, "after")).toBe(true);
    const there = (await namesIn(bench)).length + (await namesIn(bench, "alerts")).length;
    expect(there).toBeGreaterThan(3);
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: there } });
    expect([...(await namesIn(bench)), ...(await namesIn(bench, "alerts"))]).toEqual([]);
  });

  it("and whose journal's last line was cut off with it, is finished too", async () => {
    await using bench = await smallBench();
    expect(await killAt(bench, 4, "after")).toBe(true);
    await editJournal(bench, (text) => `${text}{"type":"done","at":"20`);
    expect((await bench.import()).exitCode).toBe(0);
    expect(await listRecords(bench.to, "dashboards")).toHaveLength(3);
    expect(await listRecords(bench.to, "alerts")).toHaveLength(2);
  });

  it("is written down by the next run as its own work, so that a later change is told as one", async () => {
    await using bench = await smallBench();
    const only = ["--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(bench, 1, "after", ...only)).toBe(true);
    expect(documentOf(await bench.import(...only))).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
    expect((await bench.entries()).filter(({ type }) => type === "done")).toMatchObject([{ write: "create" }]);
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["later"] });
    expect(outcomesOf(await bench.rollback())).toMatchObject([{ name: "Three", code: "changed-since" }]);
    expect(documentOf(await bench.rollback("--force"))).toMatchObject({ counts: { delete: 1 } });
  });

  it("between an update and its answer still knows what it replaced", async () => {
    const theirs = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [theirs] });
    const update = ["--on-conflict", "update", "--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(bench, 1, "after", ...update)).toBe(true);
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["kept"]);
    expect(documentOf(await bench.import(...update))).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { update: 1 } });
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["theirs"]);
  });
});

describe("an update of what an open create has made", () => {
  it("is undone by deleting the record", async () => {
    await using bench = await smallBench();
    const only = ["--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(bench, 1, "after", ...only)).toBe(true);
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["somebody else"] });
    const run = documentOf(await bench.import(...only, "--on-conflict", "update"));
    expect(run).toMatchObject({ exitCode: 0, counts: { update: 1 } });
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 1 } });
    expect(await listRecords(bench.to, "dashboards")).toEqual([]);
  });
});

describe("an import that was stopped", () => {
  it("sends in the next run only what it had not sent", async () => {
    await using bench = await smallBench();
    bench.watch = (request, proceed) =>
      request.route === "POST alerts" ? Response.json({ message: "no" }, { status: 401 }) : proceed();
    const first = await bench.import();
    expect(first.exitCode).toBe(5);
    const done = outcomesOf(first).filter(({ action, status }) => action === "create" && status === "done").length;
    expect(done).toBeGreaterThan(0);
    bench.watch = (_, proceed) => proceed();
    const before = bench.to.stats().byRoute;
    expect((await bench.import()).exitCode).toBe(0);
    const after = bench.to.stats().byRoute;
    expect(after["POST dashboards"]).toBe(3);
    expect((after["POST alerts"] ?? 0) - (before["POST alerts"] ?? 0)).toBe(2);
    expect(await listRecords(bench.to, "alerts")).toHaveLength(2);
  });

  it("does not take a record that somebody made by hand for its own", async () => {
    await using bench = await smallBench();
    const only = ["--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(bench, 1, "before", ...only)).toBe(true);
    const { id: _id, ...body } = dashboard("", "Three", hexId("b", 1), { tags: ["by hand"] });
    const tiles = [{ name: "Other", x: 0, y: 0, w: 6, h: 3, config: { displayType: "markdown", markdown: "x" } }];
    await callSandbox(bench.to, "POST", "dashboards", { ...body, tiles });
    expect(documentOf(await bench.import(...only))).toMatchObject({ exitCode: 0, counts: { skip: 1 } });
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: {} });
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["by hand"]);
  });
});
