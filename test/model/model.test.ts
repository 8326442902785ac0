import { describe, expect, it } from "vitest";
import { propertyRuns } from "../support/tries.ts";
import { areEqual } from "./compare.ts";
import type { Decision } from "./plan.ts";
import { ARCHIVES, say, sequenceOf, shrink, type Import, type Operation } from "./operations.ts";
import { differOnlyInDeadIds } from "./stack.ts";
import {
  backUp,
  contents,
  copyOf,
  dryRun,
  edit,
  importInto,
  isWholeRun,
  jobOf,
  journalOf,
  newWorld,
  rollBack,
  undoingOf,
  type Undoing,
  wordsOf,
  type Job,
  type World,
} from "./world.ts";

// The model holds what the contract promises, whatever happens. `against-engine.test.ts` compares it with the engine.

/** What looks at a sequence. Each function lets one thing happen. */
interface Look {
  edit: (world: World, happen: () => void) => void;
  import: (world: World, job: Job, happen: () => Decision[]) => void;
  rollback: (world: World, undoing: Undoing, happen: () => Decision[]) => void;
}

/** Lets a sequence happen. */
function play(operations: readonly Operation[], look: Partial<Look>): void {
  // The stacks store some values in another form.
  const world = newWorld((text) => text.replace(/: v8$/, ": v08"));
  for (const operation of operations) {
    if (operation.is === "backup") backUp(world);
    if (operation.is === "edit") {
      const happen = (): void => edit(world, operation);
      (look.edit ?? ((_, act) => act()))(world, happen);
    }
    if (operation.is === "import") {
      const job = jobOf(world, operation);
      if (job !== undefined) (look.import ?? ((_, __, act) => act()))(world, job, () => importInto(world, job));
    }
    if (operation.is === "rollback") {
      const undoing = undoingOf(world, operation);
      if (undoing !== undefined)
        (look.rollback ?? ((_, __, act) => act()))(world, undoing, () => rollBack(world, undoing));
    }
  }
}

/** Checks a property of sequences. The message of a failure is the shortest script that fails, and its seed. */
async function property(
  check: (operations: readonly Operation[]) => void,
  archives: readonly Import["archive"][] = ARCHIVES,
): Promise<void> {
  const errorOf = (operations: readonly Operation[]): unknown => {
    try {
      check(operations);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  const { numRuns } = propertyRuns(200);
  for (let seed = 1; seed <= numRuns; seed += 1) {
    const operations = sequenceOf(seed, archives);
    if (errorOf(operations) === undefined) continue;
    const shortest = await shrink(operations, (fewer) => errorOf(fewer) !== undefined);
    const message = `seed ${seed}:\n${shortest.map(say).join("\n")}\n${String(errorOf(shortest))}`;
    throw new Error(message, { cause: errorOf(shortest) });
  }
}

/** An undo cannot choose the form in which the target stores a text; what only mentions a deleted record mentions its old id. */
const contentsInOneForm = (world: World): string[] =>
  contents(world.b, (text) => text.replace(/: v08$/, ": v8").replace(/#[a-z]\d+/, "#"));
const lineCount = ({ journals }: World): number => Object.values(journals).flat().length;
const writesOf = (plan: readonly Decision[]): string[] =>
  wordsOf(plan).filter((line) => / (?:create|update|delete)$/.test(line));

describe("an import", () => {
  it("writes nothing the second time, and leaves no line in the journal the third time", async () => {
    await property((operations) => {
      play(operations, {
        import(world, job, happen) {
          // What was blocked may be possible now.
          if (!isWholeRun(happen())) return;
          const target = world[job.target];
          const before = contents(target);
          // The stack may have stored a part that the write carried in the form of the source.
          expect(writesOf(importInto(world, job))).toEqual([]);
          const lines = lineCount(world);
          expect(writesOf(importInto(world, job))).toEqual([]);
          expect([contents(target), lineCount(world)]).toEqual([before, lines]);
        },
      });
    });
  });

  it("does what its dry run said", async () => {
    await property((operations) => {
      play(operations, {
        import(world, job, happen) {
          const target = world[job.target];
          const [before, lines] = [contents(target), lineCount(world)];
          const planned = wordsOf(dryRun(world, job));
          expect([contents(target), lineCount(world)]).toEqual([before, lines]);
          expect(wordsOf(happen())).toEqual(planned);
        },
      });
    });
  });

  it("loses no edit of the target under keep, merge and fail, nor does a rollback without force", async () => {
    await property((operations) => {
      const edits = new Map<
        string,
        { readonly id: string; readonly part: string; readonly text: string; readonly was: string | undefined }
      >();
      const textOf = (world: World, id: string, part: string): string | undefined =>
        world.b.records.get(id)?.parts.get(part);
      const expectKept = (world: World): void => {
        for (const { id, part, text } of edits.values()) {
          const now = textOf(world, id, part);
          const isKept =
            areEqual(now?.replace("v08", "v8"), text) || (now !== undefined && differOnlyInDeadIds(now, text, world.b));
          expect({ id, part, text: isKept ? text : now }).toEqual({ id, part, text });
        }
      };
      const forgetChanged = (world: World): void => {
        for (const [key, { id, part, text }] of edits) if (textOf(world, id, part) !== text) edits.delete(key);
      };
      play(operations, {
        edit(world, happen) {
          const before = new Map(world.b.records);
          happen();
          for (const { id, parts } of world.b.records.values()) {
            for (const [part, text] of parts) {
              const former = before.get(id)?.parts.get(part);
              const key = `${id} ${part}`;
              if (former === text) continue;
              const was = edits.has(key) ? edits.get(key)?.was : former;
              edits.set(key, { id, part, text, was });
              // Somebody took the edit back.
              if (areEqual(was, text)) edits.delete(key);
            }
          }
          for (const [key, { id, part }] of edits) if (textOf(world, id, part) === undefined) edits.delete(key);
        },
        import(world, job, happen) {
          const plan = happen();
          for (const { targetId, changes } of plan)
            for (const { part, desired, stored } of changes)
              if (areEqual(desired, stored)) edits.delete(`${targetId} ${part}`);
          if (job.options.policy === "overwrite" || job.options.tile !== undefined) forgetChanged(world);
          else expectKept(world);
        },
        rollback(world, { isForced }, happen) {
          const plan = happen();
          if (isForced === true) forgetChanged(world);
          else expectKept(world);
          // An edit that leads back to what was there before the run is an undo.
          const back = plan.filter(({ verdict }) => verdict === "unchanged").map(({ targetId }) => targetId);
          for (const [edited, { id }] of edits) if (back.includes(id)) edits.delete(edited);
        },
      });
    });
  });

  it("ends the same after a kill at any write, and the same command again", async () => {
    await property((operations) => {
      let moment = operations.length;
      play(operations, {
        import(world, job, happen) {
          moment += 1;
          const killed = copyOf(world);
          const isKilled = killAt(moment % 5, moment % 2 === 0, (disturb) => importInto(killed, job, disturb));
          const plan = happen();
          if (!isKilled) return;
          importInto(killed, job);
          expect(contents(killed[job.target])).toEqual(contents(world[job.target]));
          expect(writesOf(isWholeRun(plan) ? importInto(killed, job) : [])).toEqual([]);
        },
      });
    });
  });
});

describe("a rollback", () => {
  it("leaves what was there, and leads back when it is undone itself", async () => {
    await property((operations) => {
      play(operations, {
        import(world, job, happen) {
          const before = contentsInOneForm(world);
          const lines = journalOf(world, "a").length;
          happen();
          const last = journalOf(world, "a").at(-1);
          // A server refuses a dead link, so a rollback cannot set it.
          if (before.some((text) => text.includes("<?>"))) return;
          if (journalOf(world, "a").length === lines || last === undefined) return;
          const after = contentsInOneForm(world);
          const undone = copyOf(world);
          if (!isWholeRun(rollBack(undone, { on: "b", run: last.run }))) return;
          expect(contentsInOneForm(undone)).toEqual(before);
          expect(writesOf(rollBack(undone, { on: "b", run: last.run }))).toEqual([]);
          if (isWholeRun(rollBack(undone, { on: "b", run: last.run + 1 })))
            expect(contentsInOneForm(undone)).toEqual(after);
        },
      });
    });
  });

  it("ends the same after a kill at any write, and the same command again", async () => {
    await property((operations) => {
      let moment = operations.length;
      play(operations, {
        rollback(world, undoing, happen) {
          moment += 1;
          const killed = copyOf(world);
          const isKilled = killAt(moment % 3, moment % 2 === 0, (disturb) => rollBack(killed, undoing, disturb));
          happen();
          if (!isKilled) return;
          rollBack(killed, undoing);
          expect(contents(killed[undoing.on])).toEqual(contents(world[undoing.on]));
        },
      });
    });
  });
});

/** Kills a run before or after its write with this number. Returns whether it was killed. */
function killAt(number: number, isBefore: boolean, run: (disturb: () => void) => unknown): boolean {
  let left = number * 2 + (isBefore ? 1 : 2);
  try {
    run(() => {
      left -= 1;
      if (left === 0) throw new Error("killed");
    });
    return false;
  } catch (error) {
    if (String(error) !== "Error: killed") throw error;
    return true;
  }
}
