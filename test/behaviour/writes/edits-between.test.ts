import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import type { CliRun } from "../../support/run-cli.ts";
import {
  programAfterApply,
  editFile,
  programAfterImport,
  outcomesOf,
  passThrough,
  preparedProgram,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";

/** A command that updates the target's dashboard "Three", and then the alert "Quiet" that is on it. */
interface Updating {
  readonly program: ProgramWithArchive;
  readonly run: () => Promise<CliRun>;
}

const commands: readonly (readonly [string, () => Promise<Updating>])[] = [
  [
    "import",
    async () => {
      const program = await preparedProgram("changed archive", async () => {
        const imported = await programAfterImport();
        await changeSource(imported);
        const exported = await imported.run(["export", "--from", imported.from.stack, "--out", "b.zip"]);
        expect(exported.exitCode).toBe(0);
        return imported;
      });
      return { program, run: () => program.run(["import", "b.zip", "--to", program.to.stack]) };
    },
  ],
  [
    "apply",
    async () => {
      const program = await programAfterApply();
      await editFile(program, "dashboards/three.yaml", "kept", "changed");
      await editFile(program, "alerts/quiet.yaml", "threshold: 10", "threshold: 20");
      return { program, run: () => program.apply() };
    },
  ],
  [
    "rollback",
    async () => {
      const program = await preparedProgram("updated target", async () => {
        const imported = await programAfterImport();
        await changeSource(imported);
        const update = await imported.run(imported.migration());
        expect(outcomesOf(update).filter(({ action }) => action === "update")).toHaveLength(2);
        return imported;
      });
      return { program, run: () => program.rollback() };
    },
  ],
];

async function changeSource({ from }: ProgramWithArchive): Promise<void> {
  await changeOn(from, "dashboards", { tags: ["changed"] }, "Three");
  await changeOn(from, "alerts", { threshold: 20 }, "Quiet");
}

/** What happens to the first write of the record. A person edits the record before its answer, or the lack of one, arrives. */
const faults: readonly (readonly [string, number, "carried out" | "not carried out"])[] = [
  ["is refused by the limiter", 429, "not carried out"],
  ["gets no answer and was not carried out", 503, "not carried out"],
  ["gets no answer and was carried out", 504, "carried out"],
];

type Named = readonly [kind: string, name: string];

/** Makes this happen to the first write of each record. Returns, by name, the number of writes that the target has received. */
async function failFirst(
  { program }: Updating,
  [, status, fate]: (typeof faults)[number],
  records: readonly Named[],
  meanwhile: () => Promise<void> = async () => {},
): Promise<Readonly<Record<string, number>>> {
  const writes: Record<string, number> = {};
  const names = new Map<string, string>();
  for (const [kind, name] of records) names.set((await recordOn(program.to, kind, name)).id, name);
  program.watch = async (request, proceed) => {
    const name = names.get(request.target.slice(request.target.lastIndexOf("/") + 1));
    if (request.method !== "PUT" || name === undefined) return proceed();
    writes[name] = (writes[name] ?? 0) + 1;
    if (writes[name] > 1) return proceed();
    if (fate === "carried out") await proceed();
    const { watch } = program;
    program.watch = passThrough;
    await meanwhile();
    program.watch = watch;
    return Response.json({ message: "no" }, { status, headers: { "retry-after": "0", "ratelimit-reset": "0" } });
  };
  return writes;
}

describe.each(commands)("an edit that is made while %s writes", (_, begin) => {
  it.each(faults)("is not overwritten where the write %s", async (...fault) => {
    const updating = await begin();
    await using program = updating.program;
    const edit = (): Promise<void> => changeOn(program.to, "dashboards", { tags: ["by a person"] }, "Three");
    const writes = await failFirst(updating, fault, [["dashboards", "Three"]], edit);
    const run = await updating.run();
    expect(writes).toEqual({ Three: 1 });
    expect(outcomesOf(run).find(({ name }) => name === "Three")).toMatchObject({
      status: "failed",
      code: "changed-since",
    });
    expect(run.exitCode).toBe(3);
    expect((await recordOn(program.to, "dashboards", "Three"))["tags"]).toEqual(["by a person"]);
  });

  it.each(faults)("is not suspected where the write %s: it is sent until it is done", async (...fault) => {
    const updating = await begin();
    await using _program = updating.program;
    const writes = await failFirst(updating, fault, [
      ["dashboards", "Three"],
      ["alerts", "Quiet"],
    ]);
    const run = await updating.run();
    expect(run.exitCode, run.stdout).toBe(0);
    const sent = fault[2] === "carried out" ? 1 : 2;
    expect(writes).toEqual({ Three: sent, Quiet: sent });
    for (const name of ["Three", "Quiet"]) {
      expect(outcomesOf(run)).toContainEqual(expect.objectContaining({ name, action: "update", status: "done" }));
    }
  });
});

it("little time passes between the look and the write, though each waits for its turn", async () => {
  await using program = await programAfterImport();
  for (const kind of ["dashboards", "alerts"]) {
    for (const { name } of await recordsOn(program.from, kind)) {
      await changeOn(program.from, kind, kind === "alerts" ? { threshold: 20 } : { tags: ["changed"] }, name);
    }
  }
  const seenAt = new Map<string, number>();
  const gaps: number[] = [];
  program.watch = async (request, proceed) => {
    const seen = seenAt.get(request.target);
    if (request.method === "PUT" && seen !== undefined) gaps.push(performance.now() - seen);
    const answer = await proceed();
    if (request.method === "GET") seenAt.set(request.target, performance.now());
    return answer;
  };
  const run = await program.run(program.migration("--rate", "4/1s"));
  expect(run.exitCode).toBe(0);
  expect(gaps).toHaveLength(5);
  expect(Math.max(...gaps)).toBeLessThan(600);
});
