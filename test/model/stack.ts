// The model says what an import must do, as the smallest program that does it, without a network. Read it in this order: stack.ts,
// journal.ts, compare.ts (the table), match.ts, run.ts, plan.ts, guards.ts, import.ts, rollback.ts. `model.test.ts` has its promises.

/** The id of a record or of a tile: the letter of the stack that made it, and a number, such as `a7`. */
export type Id = string;

/**
 * The parts of a record, by their ids. A dashboard has `name`, perhaps `tags`, and a part for each tile; an alert has `name`, with what
 * it watches, and `threshold`. A text says `@a7` where it links to a record or tile, which must be there when the text is written, and
 * `#a7` where it only mentions it.
 */
export type Parts = ReadonlyMap<string, string>;

export interface ModelRecord {
  readonly id: Id;
  readonly kind: "dashboard" | "alert";
  readonly parts: Parts;
}

/** A tile that is asked for, and the dashboard that has it. */
export interface ChosenTile {
  readonly of: Id;
  readonly part: Id;
}

export interface Stack {
  readonly letter: string;
  readonly records: Map<Id, ModelRecord>;
  /** The form in which the stack stores a text. */
  readonly form: (text: string) => string;
  lastNumber: number;
}

/** The records of a stack at one time. */
export interface Archive {
  readonly letter: string;
  readonly at: number;
  readonly records: readonly ModelRecord[];
}

export function newStack(letter: string, form: Stack["form"] = (text) => text): Stack {
  return { letter, records: new Map(), form, lastNumber: 0 };
}

/** Creates a record. The stack gives it and its tiles new ids. Returns the id. */
export function create(stack: Stack, kind: ModelRecord["kind"], parts: Parts): Id {
  refuseDeadLinks(stack, parts);
  const id = mint(stack);
  store(stack, { id, kind, parts });
  return id;
}

/** Replaces a record. A tile that is new there gets a new id. The stack deletes the alerts of the tiles that are gone. */
export function update(stack: Stack, id: Id, parts: Parts): void {
  refuseDeadLinks(stack, parts);
  store(stack, { id, kind: recordOf(stack, id).kind, parts });
  deleteStrandedAlerts(stack);
}

/** Deletes a record, and the alerts on it. */
export function remove(stack: Stack, id: Id): void {
  stack.records.delete(id);
  deleteStrandedAlerts(stack);
}

function recordOf(stack: Stack, id: Id): ModelRecord {
  const record = stack.records.get(id);
  if (record === undefined) throw new Error(`no record ${id}`);
  return record;
}

/** What tells records of one kind apart for people: the name of a dashboard; the name of an alert with what it watches. */
export function nameOf({ parts }: ModelRecord): string {
  return (parts.get("name") ?? "").trim();
}

export const isTile = (part: string): boolean => /^[a-z]\d+$/.test(part);
/** The name of a tile, with what it shows: a value, a link, a text. */
export const tileName = (text: string): string => text.replace(/(: (?:v|link|see)).*$/, "$1");

export const tileContent = (text: string): string => text.replace(/^[^:]*/, "");

const REFERENCE = /([@#])([a-z]\d+)/g;

export function linksOf(parts: Parts): Id[] {
  return [...parts.values()]
    .flatMap((text) => [...text.matchAll(REFERENCE)])
    .flatMap(([, sort, id = ""]) => (sort === "@" ? [id] : []));
}

/** Replaces the ids of a text. An id without a counterpart stays. */
export function translate(text: string, ids: ReadonlyMap<Id, Id>): string {
  return text.replaceAll(REFERENCE, (_, sort: string, id: Id) => sort + (ids.get(id) ?? id));
}

export function withoutLinks(text: string, isDead: (link: Id) => boolean): string {
  return text.replaceAll(REFERENCE, (all, sort: string, id: Id) => (sort === "@" && isDead(id) ? sort : all));
}

/** Takes the links out of a text whose records the stack does not have. */
export function withoutDeadLinks(text: string, stack: Stack): string {
  return withoutLinks(text, (id) => !has(stack, id));
}

/** Tells whether a text would be equal to a stored one but for ids that the stack lacks. An id of another stack has no counterpart. */
export function differOnlyInDeadIds(text: string, stored: string, stack: Stack): boolean {
  const [ids, storedIds] = [text, stored].map((each) => [...each.matchAll(REFERENCE)].map(([, , id = ""]) => id));
  const [rest, storedRest] = [text, stored].map((each) => each.replaceAll(REFERENCE, "$1"));
  return (
    rest === storedRest &&
    ids!.length === storedIds!.length &&
    storedIds!.every((id, at) => id === ids![at] || (!has(stack, id) && isTranslated(ids![at] ?? "", stack)))
  );
}

/** The first letter of the id that a record will have which the run creates. */
export const PENDING = "n";

const isTranslated = (id: Id, { letter }: Stack): boolean => id.startsWith(letter) || id.startsWith(PENDING);

/** Tells whether the stack has a record or a tile with this id. */
export function has({ records }: Stack, id: Id): boolean {
  return records.has(id) || [...records.values()].some(({ parts }) => parts.has(id));
}

/** Lists the records that link to a record or tile. */
export function usersOf({ records }: Stack, id: Id): ModelRecord[] {
  return [...records.values()].filter((record) => record.id !== id && linksOf(record.parts).includes(id));
}

function mint(stack: Stack): Id {
  stack.lastNumber += 1;
  return stack.letter + stack.lastNumber;
}

function store(stack: Stack, { id, kind, parts }: ModelRecord): void {
  const before = stack.records.get(id)?.parts;
  const keyOf = (part: string): string => (isTile(part) && before?.has(part) !== true ? mint(stack) : part);
  stack.records.set(id, {
    id,
    kind,
    parts: new Map([...parts].map(([part, text]) => [keyOf(part), stack.form(text)])),
  });
}

function refuseDeadLinks(stack: Stack, parts: Parts): void {
  const dead = linksOf(parts).find((id) => !has(stack, id));
  if (dead !== undefined) throw new Error(`refused: there is no ${dead}`);
}

function deleteStrandedAlerts(stack: Stack): void {
  for (const { id, kind, parts } of stack.records.values()) {
    if (kind === "alert" && linksOf(parts).some((link) => !has(stack, link))) stack.records.delete(id);
  }
}
