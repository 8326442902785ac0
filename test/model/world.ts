import { planImport, runImport } from "./import.ts";
import { isBlocked, isRefused, requestedOf, type Decision, type Options } from "./plan.ts";
import { runToUndo, type Journal } from "./journal.ts";
import { makeEdit, type Edit, type Import, type Rollback, type Side } from "./operations.ts";
import { runRollback } from "./rollback.ts";
import type { Disturb } from "./run.ts";
import { isTile, linksOf, newStack, type Archive, type ModelRecord, type Stack } from "./stack.ts";

/** Two stacks, the journals of what was imported into the second one, and the archives that were made. */
export interface World {
  readonly a: Stack;
  readonly b: Stack;
  /** Of imports into `b`, by the letter of the archive's stack; of copies under a prefix; `back` has the imports into `a`. */
  readonly journals: Readonly<Record<string, Journal>>;
  readonly archives: Archive[];
  time: number;
}

/** Makes a world of two empty stacks, which store texts without the blanks around them. @param other another form for some texts */
export function newWorld(other: (text: string) => string = (text) => text): World {
  const form = (text: string): string => other(text.trim());
  return {
    a: newStack("a", form),
    b: newStack("b", form),
    journals: { a: [], b: [], copies: [], back: [], "copies back": [] },
    archives: [],
    time: 1,
  };
}

/** Copies a world, so that two things can happen to it. */
export function copyOf({ a, b, journals, archives, time }: World): World {
  const copy = (stack: Stack): Stack => ({ ...stack, records: new Map(stack.records) });
  const lines = Object.fromEntries(Object.entries(journals).map(([letter, journal]) => [letter, [...journal]]));
  return { a: copy(a), b: copy(b), journals: lines, archives: [...archives], time };
}

function archiveOf(world: World, stack: Stack): Archive {
  world.time += 1;
  return { letter: stack.letter, at: world.time, records: [...stack.records.values()] };
}

export function backUp(world: World): void {
  world.archives.push(archiveOf(world, world.a), archiveOf(world, world.b));
}

export function edit(world: World, change: Edit): void {
  const stack = world[change.side];
  makeEdit(stack, change, personOn(stack));
}

/** Changes a stack as a person does in its web interface, which keeps any form of a text. */
export function personOn(stack: Stack) {
  return {
    put: (record: ModelRecord): void => {
      stack.records.set(record.id, record);
      deleteStranded(stack);
    },
    remove: (id: string): void => {
      stack.records.delete(id);
      deleteStranded(stack);
    },
  };
}

function deleteStranded({ records }: Stack): void {
  for (const { id, kind, parts } of records.values()) {
    const [dashboard, tile] = linksOf(parts);
    if (kind === "alert" && records.get(dashboard ?? "")?.parts.has(tile ?? "") !== true) records.delete(id);
  }
}

/** An import with all that it needs; undefined if the archive that was asked for does not exist. */
export interface Job {
  readonly archive: Archive;
  readonly options: Options;
  readonly target: Side;
}

export function jobOf(world: World, operation: Import): Job | undefined {
  const { archive: which, which: number, policy, mirror, tile, only, copies } = operation;
  const letter = which === "own" || which === "back" ? "b" : "a";
  const target = which === "back" ? "a" : "b";
  const made = world.archives.filter((each) => each.letter === letter);
  const archive =
    which === "now" || which === "back" ? archiveOf(world, world[letter]) : made[number % Math.max(1, made.length)];
  if (archive === undefined) return undefined;
  const prefix = copies && target !== letter ? PREFIX : undefined;
  const reverse = prefix === undefined && target !== letter ? world.journals[target === "a" ? "a" : "back"] : undefined;
  const asked: Job = { archive, target, options: { policy, mirror, prefix, reverse } };
  if (only !== undefined) {
    const dashboards = archive.records.filter(({ kind }) => kind === "dashboard");
    const id = dashboards[only % Math.max(1, dashboards.length)]?.id;
    return id === undefined ? undefined : { ...asked, options: { ...asked.options, mirror: false, only: id } };
  }
  if (tile === undefined) return asked;
  const parts = archive.records.flatMap(({ id, parts: of }) =>
    [...of.keys()].filter(isTile).map((part) => ({ of: id, part })),
  );
  const chosen = parts[tile % Math.max(1, parts.length)];
  return chosen && { archive, target, options: { policy: "keep", tile: chosen, reverse } };
}

export function importInto(world: World, job: Job, disturb?: Disturb): Decision[] {
  return runImport(namedArchive(job), world[job.target], journalOfJob(world, job), job.options, disturb);
}

export function dryRun(world: World, job: Job): Decision[] {
  return planImport(namedArchive(job), world[job.target], journalOfJob(world, job), job.options);
}

const PREFIX = "[copy] ";

/** Returns the archive with the names that its records get on the target. What is not asked for keeps its name, and is linked to. */
function namedArchive({ archive, options }: Job): Archive {
  const { prefix = "" } = options;
  const copied = new Set(requestedOf(archive, options));
  const nameOn = (record: ModelRecord): ModelRecord => ({
    ...record,
    parts: new Map([...record.parts].map(([part, text]) => [part, part === "name" ? prefix + text : text])),
  });
  return { ...archive, records: archive.records.map((record) => (copied.has(record) ? nameOn(record) : record)) };
}

/** Copies under a prefix have a journal of their own. */
function journalOfJob(world: World, { archive, options, target }: Job): Journal {
  if (target === "a") return journalOf(world, options.prefix === undefined ? "back" : "copies back");
  return journalOf(world, options.prefix === undefined ? archive.letter : "copies");
}

/** The journal of imports of archives of the stack with this letter. */
export function journalOf({ journals }: World, letter: string): Journal {
  const journal = journals[letter];
  if (journal === undefined) throw new Error(`no journal of ${letter}`);
  return journal;
}

/** The journals that rollbacks read, by the stack to which the imports wrote. */
const FROM_THE_OTHER = { a: "back", b: "a" } as const;

/** A run that is undone, and the stack to which it wrote. */
export interface Undoing {
  readonly on: Side;
  readonly run: number;
  readonly isForced?: boolean;
}

/** Returns the run that a rollback undoes; undefined if there is none. */
export function undoingOf(world: World, { back, on = "b", force }: Rollback): Undoing | undefined {
  const journal = journalOf(world, FROM_THE_OTHER[on]);
  const runs = [...new Set(journal.flatMap((line) => (line.is === "done" ? [line.run] : [])))];
  const run = back === 0 ? runToUndo(journal) : runs.at(-1 - back);
  return run === undefined ? undefined : { on, run, isForced: force };
}

/** Undoes a run of the imports from the other stack. */
export function rollBack(world: World, { on, run, isForced = false }: Undoing, disturb?: Disturb): Decision[] {
  return runRollback(world[on], journalOf(world, FROM_THE_OTHER[on]), run, isForced, disturb);
}

/** What a plan says of each record, in one line each. */
export function wordsOf(plan: readonly Decision[]): string[] {
  return plan.map(({ key, verdict }) => `${key} ${verdict}`).toSorted();
}

/** Tells whether a run has done all that it can do. */
export function isWholeRun(plan: readonly Decision[]): boolean {
  return !isRefused(plan) && !plan.some(isBlocked);
}

/** The content of a stack, with digests of contents in the place of ids, sorted. @param asOne makes forms of a text equal */
export function contents({ records }: Stack, asOne: (text: string) => string = (text) => text): string[] {
  const rank = new Map<string, string>();
  const show = (text: string): string =>
    asOne(text).replaceAll(/([@#])([a-z]\d+)/g, (_, sort: string, id: string) => `${sort}<${rank.get(id) ?? "?"}>`);
  const render = (record: ModelRecord): string =>
    [...record.parts]
      .map(([part, text]) => (isTile(part) ? show(text) : `${part}=${show(text).trim()}`))
      .toSorted()
      .join("|");
  for (let round = 0; round < 3; round += 1) {
    const next = [...records.values()].flatMap((record) => [
      [record.id, hash(render(record))] as const,
      ...[...record.parts].map(([part, text]) => [part, hash(show(text))] as const),
    ]);
    for (const [id, text] of next) if (isTile(id)) rank.set(id, text);
  }
  return [...records.values()].map(render).toSorted();
}

function hash(text: string): string {
  let sum = 7;
  for (const char of text) sum = (Math.imul(sum, 31) + char.charCodeAt(0)) | 0;
  return (sum >>> 0).toString(36);
}
