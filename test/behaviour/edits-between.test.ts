import { describe, expect, it } from "vitest";
import type { CliRun } from "../support/run-cli.ts";
import {
  appliedBench,
  changeListedRecord,
  editFile,
  importedBench,
  listedRecord,
  listRecords,
  outcomesOf,
  passThrough,
  type SmallBench,
} from "../support/small-bench.ts";

/** A command that updates the target's dashboard "Three", and then the alert "Quiet" that is on it. */
interface Updating {
  readonly bench: SmallBench;
  readonly run: () => Promise<CliRun>;
}

const commands: readonly (readonly [string, () => Promise<Updating>])[] = [
  [
    "import",
    async () => {
      const bench = await importedBench();
      await changeSource(bench);
      expect((await bench.run(["export", "--from", bench.from.stack, "--out", "b.zip"])).exitCode).toBe(0);
      return { bench, run: () => bench.run(["import", "b.zip", "--to", bench.to.stack]) };
    },
  ],
  [
    "apply",
    async () => {
      const bench = await appliedBench();
      await editFile(bench, "dashboards/three.yaml", "kept", "changed");
      await editFile(bench, "alerts/quiet.yaml", "threshold: 10", "threshold: 20");
      return { bench, run: () => bench.apply() };
    },
  ],
  [
    "rollback",
    async () => {
      const bench = await importedBench();
      await changeSource(bench);
      const update = await bench.run(bench.migration());
      expect(outcomesOf(update).filter(({ action }) => action === "update")).toHaveLength(2);
      return { bench, run: () => bench.rollback() };
    },
  ],
];

async function changeSource({ from }: SmallBench): Promise<void> {
  await changeListedRecord(from, "dashboards", "Three", { tags: ["changed"] });
  await changeListedRecord(from, "alerts", "Quiet", { threshold: 20 });
}

/** What happens to the first write of the record. A person edits the record before its answer, or the lack of one, arrives. */
const faults: readonly (readonly [string, number, "carried out" | "not carried out"])[] = [
  ["is refused by the limiter", 429, "not carried out"],
  ["gets no answer and was not carried out", 503, "not carried out"],
  ["gets no answer and was carried out", 504, "carried out"],
];

/** Makes this happen to the first write of a record. Returns the number of writes of it that the target has received. */
async function failFirst(
  { bench }: Updating,
  [, status, fate]: (typeof faults)[number],
  [kind, name]: readonly [kind: string, name: string],
  meanwhile: () => Promise<void> = async () => {},
): Promise<() => number> {
  const { id } = await listedRecord(bench.to, kind, name);
  let writes = 0;
  bench.watch = async (request, proceed) => {
    if (request.method !== "PUT" || !request.target.endsWith(id)) return proceed();
    writes += 1;
    if (writes > 1) return proceed();
    if (fate === "carried out") await proceed();
    const { watch } = bench;
    bench.watch = passThrough;
    await meanwhile();
    bench.watch = watch;
    return Response.json({ message: "no" }, { status, headers: { "retry-after": "0", "ratelimit-reset": "0" } });
  };
  return () => writes;
}

describe.each(commands)("an edit that is made while %s writes", (_, begin) => {
  it.each(faults)("is not overwritten where the write %s", async (...fault) => {
    const updating = await begin();
    await using bench = updating.bench;
    const edit = (): Promise<void> => changeListedRecord(bench.to, "dashboards", "Three", { tags: ["by a person"] });
    const writes = await failFirst(updating, fault, ["dashboards", "Three"], edit);
    const run = await updating.run();
    expect(writes()).toBe(1);
    expect(outcomesOf(run).find(({ name }) => name === "Three")).toMatchObject({
      status: "failed",
      code: "changed-since",
    });
    expect(run.exitCode).toBe(3);
    expect((await listedRecord(bench.to, "dashboards", "Three"))["tags"]).toEqual(["by a person"]);
  });

  it.each(faults)("is not suspected where the write %s: it is sent until it is done", async (...fault) => {
    for (const record of [
      ["dashboards", "Three"],
      ["alerts", "Quiet"],
    ] as const) {
      const updating = await begin();
      await using _bench = updating.bench;
      const writes = await failFirst(updating, fault, record);
      const run = await updating.run();
      expect(run.exitCode, run.stdout).toBe(0);
      expect(writes()).toBe(fault[2] === "carried out" ? 1 : 2);
      expect(outcomesOf(run)).toContainEqual(
        expect.objectContaining({ name: record[1], action: "update", status: "done" }),
      );
    }
  });
});

it("little time passes between the look and the write, though each waits for its turn", async () => {
  await using bench = await importedBench();
  for (const kind of ["dashboards", "alerts"]) {
    for (const { name } of await listRecords(bench.from, kind)) {
      await changeListedRecord(bench.from, kind, name, kind === "alerts" ? { threshold: 20 } : { tags: ["changed"] });
    }
  }
  const seenAt = new Map<string, number>();
  const gaps: number[] = [];
  bench.watch = async (request, proceed) => {
    const seen = seenAt.get(request.target);
    if (request.method === "PUT" && seen !== undefined) gaps.push(performance.now() - seen);
    const answer = await proceed();
    if (request.method === "GET") seenAt.set(request.target, performance.now());
    return answer;
  };
  const run = await bench.run(bench.migration("--rate", "4/1s"));
  expect(run.exitCode).toBe(0);
  expect(gaps).toHaveLength(5);
  expect(Math.max(...gaps)).toBeLessThan(600);
});
