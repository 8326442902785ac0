import { describe, expect, it } from "vitest";
import { outcomeLines } from "../../support/import-stage.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  editFile,
  outcomesOf,
  passThrough,
  preparedProgram,
  programAfterApply,
  programAfterImport,
  programWithArchive,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { runCli, type CliRun } from "../../support/run-cli.ts";

/** A command that updates the target's dashboard "Three", and then the alert "Quiet" that is on it. */
interface Updating {
  readonly program: ProgramWithArchive;
  readonly run: () => Promise<CliRun>;
}

/** Imports the archive, changes both records on the source, and takes one more step; or continues from such a program. */
const afterChange = (step: string, take: (program: ProgramWithArchive) => Promise<void>): Promise<ProgramWithArchive> =>
  preparedProgram(step, async () => {
    const program = await programAfterImport();
    await changeOn(program.from, "dashboards", { tags: ["changed"] }, "Three");
    await changeOn(program.from, "alerts", { threshold: 20 }, "Quiet");
    await take(program);
    return program;
  });

const commands: readonly (readonly [string, () => Promise<Updating>])[] = [
  [
    "import",
    async () => {
      const program = await afterChange("changed archive", async (imported) => {
        const exported = await imported.run(["export", "--from", imported.from.stack, "--out", "b.zip"]);
        expect(exported.exitCode).toBe(0);
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
      const program = await afterChange("updated target", async (imported) => {
        const update = await imported.run(imported.migration());
        expect(outcomesOf(update).filter(({ action }) => action === "update")).toHaveLength(2);
      });
      return { program, run: () => program.rollback() };
    },
  ],
];

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

describe("the result of a run that overwrites", () => {
  /** Changes two imported records on the target, and runs a command that overwrites them. */
  async function overwrite(program: ProgramWithArchive, command: string): Promise<CliRun> {
    await changeOn(program.to, "dashboards", { tags: ["theirs"] }, "Three");
    await changeOn(program.to, "alerts", { threshold: 99 }, "Busy");
    const words = command.replace("FROM", program.from.stack).split(" ");
    const run = await runCli([...words, "--to", program.to.stack, "--on-conflict", "overwrite"], program);
    expect(run.exitCode, run.stdout + run.stderr).toBe(0);
    return run;
  }

  it("names every record that it has overwritten, and whose record took its place", async () => {
    await using program = await programAfterImport();
    await program.writeFiles();
    for (const [command, from] of [
      ["import a.zip", "a.zip (http"],
      ["migrate --from FROM", "http://"],
      ["apply files", "files (files) → "],
    ] as const) {
      const { stdout } = await overwrite(program, command);
      expect(stdout.startsWith(from)).toBe(true);
      expect(stdout).toMatch(/~ updated [^]*Three[^]*Busy/);
    }
  });

  it("has each of them with its id under --json", async () => {
    await using program = await programAfterImport();
    const run = await overwrite(program, "import a.zip --json");
    const written = outcomesOf(run).filter(({ action, status }) => action === "update" && status === "done");
    expect(outcomeLines(written, "kind", "name")).toEqual(["dashboards Three", "alerts Busy"]);
    expect(written.every(({ targetId }) => targetId !== undefined)).toBe(true);
  });
});

it("the result of a run that overwrites says nothing of records that are new or as they were", async () => {
  await using program = await programWithArchive();
  const args = ["import", "a.zip", "--to", program.to.stack, "--on-conflict", "overwrite"];
  for (let run = 1; run <= 2; run += 1) {
    const { stdout } = await runCli(args, program);
    expect(stdout).not.toContain("updated");
  }
});
