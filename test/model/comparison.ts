import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  importWithEngine,
  rollBackWithEngine,
  type EngineArchive,
  type EngineRun,
  type RunHandle,
  type Said,
} from "./adapter.ts";
import { records as archiveRecords } from "../support/stack-records.ts";
import {
  bodyOfRecord,
  IdPairs,
  needed,
  recordOfBody,
  startEngineStack,
  withStacks,
  type EngineStack,
} from "./engine-stack.ts";
import { noteLists, withFault, type FormerLists } from "./faults.ts";
import { isBlocked, isRefused, type Decision, type Options } from "./plan.ts";
import {
  makeEdit,
  say,
  shrink,
  type Edit,
  type Fault,
  type Operation,
  type Rollback,
  type Side,
} from "./operations.ts";
import { isTile, type Archive, type Id, type ModelRecord, type Stack } from "./stack.ts";
import {
  backUp,
  importInto,
  isWholeRun,
  jobOf,
  journalOf,
  newWorld,
  personOn,
  rollBack,
  undoingOf,
  type Job,
  type World,
} from "./world.ts";

// Lets a sequence happen to the model and to the engine over sandboxes, and tells where they differ first.

interface Both {
  readonly world: World;
  readonly ids: IdPairs;
  readonly stacks: Readonly<Record<"a" | "b", EngineStack>>;
  readonly folder: string;
  /** The model's runs, by target and number → the engine's. */
  readonly handles: Map<string, RunHandle>;
  readonly counts: Record<string, number>;
  /** The lists of the target as they were when the last run began, and this one. */
  former: FormerLists;
  noted: FormerLists;
  /** Whether the lists of `b` may lag: nobody has changed `b` since its last run began, and no run on `a` has taken time. */
  canLag: boolean;
}

/** Returns the first difference between the model and the engine; undefined if they agree. */
async function differenceIn(
  operations: readonly Operation[],
  counts: Record<string, number> = {},
): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "model-"));
  const stacks = { a: startEngineStack("a"), b: startEngineStack("b") };
  const both: Both = {
    world: newWorld(),
    ids: new IdPairs(),
    stacks,
    folder,
    handles: new Map(),
    counts,
    former: new Map(),
    noted: new Map(),
    canLag: true,
  };
  stacks.b.intercept = noteLists(() => both.noted);
  try {
    return await withStacks(Object.values(stacks), async () => {
      for (const operation of operations) {
        const difference = await happen(operation, both);
        if (operation.is === "edit" && operation.side === "b") both.canLag = false;
        if (difference !== undefined) return `${say(operation)}: ${difference}`;
      }
      return undefined;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the report of a seed's failure: the shortest script that fails, and what differs; undefined if both agree. */
export async function reportOf(
  seed: number,
  operations: readonly Operation[],
  counts: Record<string, number> = {},
): Promise<string | undefined> {
  const difference = await differenceIn(operations, counts);
  if (difference === undefined) return undefined;
  const shortest = await shrink(operations, async (fewer) => (await differenceIn(fewer)) !== undefined);
  return [`seed ${seed}:`, ...shortest.map(say), `=> ${(await differenceIn(shortest)) ?? difference}`].join("\n");
}

async function happen(operation: Operation, both: Both): Promise<string | undefined> {
  const { world } = both;
  if (operation.is === "backup") backUp(world);
  if (operation.is === "edit") editBoth(operation, both);
  if (operation.is === "import") {
    const job = jobOf(world, operation);
    if (job !== undefined) return importBoth(job, operation.fault, both);
  }
  if (operation.is === "rollback") return rollBackBoth(operation, both);
  return undefined;
}

function editBoth(operation: Edit, { world, ids, stacks }: Both): void {
  const stack = world[operation.side];
  const { store } = stacks[operation.side];
  const person = personOn(stack);
  makeEdit(stack, operation, {
    put(record) {
      person.put(record);
      const body = bodyOfRecord(record, ids);
      collection(store, record.kind).set(ids.realOf(record.id), { ...body, id: ids.realOf(record.id) });
    },
    remove(id) {
      person.remove(id);
      store.dashboards.delete(ids.realOf(id));
      store.alerts.delete(ids.realOf(id));
    },
  });
  // The server deletes the alerts of what is gone.
  for (const [id] of store.alerts) if (!stack.records.has(ids.modelOf(id) ?? "")) store.alerts.delete(id);
}

function collection(store: EngineStack["store"], kind: ModelRecord["kind"]): EngineStack["store"]["alerts"] {
  return kind === "alert" ? store.alerts : store.dashboards;
}

async function importBoth(job: Job, fault: Fault | undefined, both: Both): Promise<string | undefined> {
  const { world, folder, stacks, handles } = both;
  const journal = journalOf(world, job.target === "b" ? "a" : "back");
  const lines = journal.length;
  const archive = archiveFor(job.archive, both);
  const { tile, only } = job.options;
  const real = { of: both.ids.realOf(tile?.of ?? ""), part: both.ids.realOf(tile?.part ?? "") };
  const options = { ...job.options, tile: tile && real, only: only && both.ids.realOf(only) };
  const { engine, isKilled } = await withRepeat(fault, job.target, both, () =>
    importWithEngine(folder, stacks[job.target], archive, options),
  );
  const plan = importInto(world, job);
  const run = journal.at(-1)?.run;
  if (engine.handle !== undefined && run !== undefined && journal.length > lines)
    handles.set(`${job.target} ${run}`, engine.handle);
  count(
    both,
    `import ${job.target === "a" ? "back " : ""}${job.options.prefix === undefined ? "" : "copies "}${job.options.policy}${fault === undefined ? "" : ` ${fault.is}`}`,
  );
  const difference = isKilled
    ? compareStacks(plan, engine, both, job.target)
    : compareRuns(plan, engine, both, job.target);
  if (difference !== undefined) return difference;
  return isWholeRun(plan) ? compareAgain(job.target, options, archive, both) : undefined;
}

/** Lets a fault happen in a run. If the run is killed, the same command is given again. */
async function withRepeat(
  fault: Fault | undefined,
  target: Side,
  both: Both,
  run: () => Promise<EngineRun>,
): Promise<{ readonly engine: EngineRun; readonly isKilled: boolean }> {
  const { stacks, folder, canLag } = both;
  both.canLag = target === "b";
  if (target === "b") {
    [both.former, both.noted] = [both.noted, new Map()];
  }
  const { former } = both;
  // A list that lags hides what a person has changed, and nobody can know of that.
  if (fault === undefined || (fault.is === "lag" && (!canLag || target === "a")))
    return { engine: await run(), isKilled: false };
  const runs: EngineRun[] = [];
  const isKilled = await withFault(
    fault,
    { stack: stacks[target], folder, former },
    async () => void runs.push(await run()),
  );
  if (isKilled) runs.push(await run());
  const handle = runs.findLast((each) => each.handle !== undefined)?.handle;
  return { engine: { planned: [], said: [], ...runs.at(-1), ...(handle && { handle }) }, isKilled };
}

/** A second run writes nothing. */
async function compareAgain(
  target: Side,
  options: Options,
  archive: EngineArchive,
  both: Both,
): Promise<string | undefined> {
  if (both.world.time % 3 !== 0) return undefined;
  const { said } = await importWithEngine(both.folder, both.stacks[target], archive, options);
  const writes = said.filter(({ word }) => ["create", "update", "delete"].includes(word));
  return writes.length > 0 ? `the second run writes ${JSON.stringify(writes)}` : undefined;
}

async function rollBackBoth(operation: Rollback, both: Both): Promise<string | undefined> {
  const { world, folder, stacks, handles } = both;
  const undoing = undoingOf(world, { ...operation, back: 0 });
  const handle = handles.get(`${undoing?.on} ${undoing?.run}`);
  if (undoing === undefined || handle === undefined) return undefined;
  const { on, isForced = false } = undoing;
  const { engine } = await withRepeat(operation.fault, on, both, () =>
    rollBackWithEngine(folder, stacks[on], handle, isForced),
  );
  const plan = rollBack(world, undoing);
  count(both, `rollback on ${on}${operation.fault === undefined ? "" : ` ${operation.fault.is}`}`);
  return compareStacks(plan, engine, both, on);
}

function compareRuns(plan: readonly Decision[], engine: EngineRun, both: Both, target: Side): string | undefined {
  const refused = isRefused(plan);
  const code = plan.some(({ verdict }) => verdict === "conflict") ? "incomplete" : "usage";
  if (refused !== (engine.failed === code))
    return `the model ${refused ? "refuses" : "does not refuse"}, the engine ${engine.failed ?? "does not"}`;
  if (engine.failed !== undefined && !refused) return `the engine failed: ${engine.failed}`;
  const words = refused ? undefined : compareWords(plan, engine.said, both);
  const dry = refused ? undefined : differenceOf("dry run", engine.planned.map(wordOf), engine.said.map(wordOf));
  return words ?? dry ?? compareStacks(plan, engine, both, target);
}

/** The dry run does not know the ids of what the run creates. */
function wordOf({ kind, sourceId, targetId, word }: Said): string {
  return `${kind} ${sourceId} ${word === "create" ? "" : targetId} ${word}`;
}

function compareWords(plan: readonly Decision[], said: readonly Said[], { ids }: Both): string | undefined {
  const model = plan
    .filter(({ verdict }) => verdict !== "gone-edited")
    .map((each) => {
      const word = isBlocked(each) || each.verdict === "in-use" ? "blocked" : each.verdict;
      return `${word === "delete" ? each.targetId : each.key} ${word}`;
    });
  const isCompared = ({ kind, word }: Said): boolean =>
    ["dashboards", "alerts"].includes(kind) && !["kept", "gone", "ambiguous"].includes(word);
  const engine = said
    .filter(isCompared)
    .map(({ sourceId, targetId, word }) => `${ids.modelOf((word === "delete" ? targetId : sourceId) ?? "")} ${word}`);
  return differenceOf("words", model, engine);
}

/** Pairs the ids of what both have created, and compares the stacks. */
function compareStacks(plan: readonly Decision[], engine: EngineRun, both: Both, target: Side): string | undefined {
  const { world, ids, stacks } = both;
  pairNewIds(plan, engine.said, both, target);
  listAlike(world[target], stacks[target].store, ids);
  const real = (["dashboard", "alert"] as const).flatMap((kind) =>
    [...collection(stacks[target].store, kind).values()].map((body) => recordOfBody(kind, body, ids)),
  );
  return differenceOf("stack", [...world[target].records.values()].map(lineOf), real.map(lineOf));
}

/** Gives the model's stack the order of the engine's lists. Of records of equal content, the first one listed is taken first. */
function listAlike({ records }: Stack, { dashboards, alerts }: EngineStack["store"], ids: IdPairs): void {
  for (const realId of [...dashboards.keys(), ...alerts.keys()]) {
    const record = records.get(ids.modelOf(realId) ?? "");
    if (record === undefined) continue;
    records.delete(record.id);
    records.set(record.id, record);
  }
}

function lineOf({ id, parts }: ModelRecord): string {
  return `${id}: ${[...parts]
    .map(([part, text]) => `${part}=${text.trim()}`)
    .toSorted()
    .join(" | ")}`;
}

function differenceOf(what: string, model: readonly string[], engine: readonly string[]): string | undefined {
  const [onlyModel, onlyEngine] = [
    model.filter((line) => !engine.includes(line)),
    engine.filter((line) => !model.includes(line)),
  ];
  if (onlyModel.length + onlyEngine.length === 0 && model.length === engine.length) return undefined;
  return `${what}: the model has ${JSON.stringify(onlyModel)}, the engine ${JSON.stringify(onlyEngine)}`;
}

function pairNewIds(
  plan: readonly Decision[],
  said: readonly Said[],
  { world, ids, stacks }: Both,
  target: Side,
): void {
  const isNew = (id: Id, store: EngineStack["store"]): boolean =>
    !store.dashboards.has(ids.realOf(id)) && !store.alerts.has(ids.realOf(id));
  for (const kind of ["dashboard", "alert"] as const) {
    const store = collection(stacks[target].store, kind);
    for (const record of world[target].records.values()) {
      if (record.kind !== kind) continue;
      if (isNew(record.id, stacks[target].store)) {
        const unpaired = [...store.values()].filter((body) => ids.modelOf(body.id) === undefined);
        const decision = plan.find(({ key }) =>
          Object.values(world.journals)
            .flat()
            .some((line) => line.is === "done" && line.key === key && line.stored?.id === record.id),
        );
        const hinted = said.find(
          ({ sourceId }) => decision !== undefined && sourceId === ids.realOf(decision.key),
        )?.targetId;
        const body =
          unpaired.find(({ id }) => id === hinted) ??
          unpaired.find((each) => lineWithoutIds(recordOfBody(kind, each, ids)) === lineWithoutIds(record)) ??
          unpaired.find((each) => (each["name"] ?? "") === (record.parts.get("name") ?? "").trim());
        if (body !== undefined) ids.pair(record.id, body.id);
      }
      const body = store.get(ids.realOf(record.id));
      if (body !== undefined && kind === "dashboard") pairTiles(record, recordOfBody(kind, body, ids), ids);
    }
  }
}

function pairTiles(record: ModelRecord, real: ModelRecord, ids: IdPairs): void {
  const unpaired = [...real.parts].filter(([part]) => !isTile(part) && /^[0-9a-f]{24}$/.test(part));
  for (const [part, text] of record.parts) {
    if (!isTile(part) || real.parts.has(part)) continue;
    const at = Math.max(
      0,
      unpaired.findIndex(([, other]) => other.replace(/[0-9a-f]{24}|[ab]\d+/, "") === text.replace(/[ab]\d+/, "")),
    );
    const [found] = unpaired.splice(at, 1);
    if (found !== undefined) ids.pair(part, found[0]);
  }
}

function lineWithoutIds(record: ModelRecord): string {
  return [...record.parts.values()]
    .map((text) => text.trim().replaceAll(/[@#](?:[0-9a-f]{24}|[ab]\d+)/g, ""))
    .toSorted()
    .join("|");
}

function archiveFor({ letter, at, records }: Archive, { ids, stacks }: Both): EngineArchive {
  const own = records.map((record) => {
    const body = bodyOfRecord(record, ids);
    const kind = record.kind === "alert" ? "alerts" : "dashboards";
    return { kind, id: ids.realOf(record.id), name: String(body["name"] ?? ""), body };
  });
  return { records: [...archiveRecords(needed), ...own], from: stacks[letter === "a" ? "a" : "b"].url, at };
}

function count({ counts }: Both, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}
