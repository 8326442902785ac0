import { groupBy } from "../../core/collections.ts";
import type { EntryOf, JournalEntry, Settled } from "../../core/plan/journal.ts";
import { splitKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { foldJournal, type History, type OpenWrite } from "../../journal/fold.ts";
import { findKind } from "../../kinds/registry.ts";
import { recordFinder, type Inventory } from "../../matching/inventory.ts";
import { settledByWrite } from "../../references/compare.ts";
import { foldedKey, foldIds, isSameId } from "../../references/known-ids.ts";
import { childPairsByPosition } from "../../references/children.ts";
import { partsOfTarget } from "../../references/parts.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import { hostKeysOf } from "../../references/references.ts";

export interface SettledHistory extends History {
  /** Lines that the journal lacks; the next run that writes appends them. */
  readonly recovered: readonly JournalEntry[];
  readonly unknownCreates: ReadonlyMap<RecordKey, string>;
}

/** Finds the record of each open create by its content or, failing that, by its name. */
export function settleOpenWrites(
  entries: readonly JournalEntry[],
  history: History,
  inventory: Inventory,
  now: number,
): SettledHistory {
  const at = new Date(now).toISOString();
  const open = history.open.flatMap((write): OpenWriteOfKind[] => {
    const kind = findKind(splitKey(write.intent.key)[0]);
    return kind === undefined || !inventory.kinds.has(kind.name) ? [] : [{ ...write, kind }];
  });
  const creates = open.filter(({ intent }) => intent.write === "create");
  const found = settleCreates(creates, history, inventory, at);
  const others = open.filter(({ intent }) => intent.write !== "create");
  const recovered = [...found.entries, ...others.flatMap((write) => settleOther(write, history, inventory, at) ?? [])];
  return withRecovered(entries, { ...history, recovered: [], unknownCreates: found.unknown }, recovered);
}

function withRecovered(
  entries: readonly JournalEntry[],
  history: SettledHistory,
  added: readonly JournalEntry[],
): SettledHistory {
  if (added.length === 0) return history;
  const { lastAt, unknownCreates } = history;
  const recovered = [...history.recovered, ...added];
  return { ...foldJournal([...entries, ...recovered]), lastAt, recovered, unknownCreates };
}

/** Also looks for records that the server deleted along with updates of a run that was cut short. */
export function settleForRollback(
  entries: readonly JournalEntry[],
  history: History,
  inventory: Inventory,
  now: number,
): SettledHistory {
  const settled = settleOpenWrites(entries, history, inventory, now);
  const at = new Date(now).toISOString();
  const losses = settled.unchecked.flatMap((image): ResultEntry[] => {
    const [name, targetId] = splitKey(image.key);
    const kind = findKind(name);
    const { status, records = [] } = inventory.kinds.get(name) ?? {};
    if (kind === undefined || status !== "complete") return [];
    const isThere = records.some(
      ({ id, body }) => isSameId(id, targetId) || recordFingerprint(kind, body) === image.digest,
    );
    return isThere ? [] : [{ type: "done", at, key: image.key, write: "delete", targetId, content: "" }];
  });
  return withRecovered(entries, settled, losses);
}

interface OpenWriteOfKind extends OpenWrite {
  readonly kind: ResourceKind;
}

type ResultEntry = EntryOf<"done"> | EntryOf<"refused">;

function settleCreates(creates: readonly OpenWriteOfKind[], history: History, inventory: Inventory, at: string) {
  const known = [...history.bases].map(([key, { targetId }]) => foldedKey(splitKey(key)[0], targetId));
  const taken = new Set([...known, ...history.lastWrites.keys()]);
  const entries: ResultEntry[] = [];
  const unknown = new Map<RecordKey, string>();
  const isFree = ({ kind, id }: StackRecord, intents: readonly OpenWriteOfKind[]): boolean =>
    !taken.has(foldedKey(kind, id)) &&
    !intents.some(({ intent }) => intent.namesakes?.some((namesake) => isSameId(namesake, id)));
  const take = (write: OpenWriteOfKind, record: StackRecord, settled: Settled): void => {
    taken.add(foldedKey(record.kind, record.id));
    entries.push({ ...doneOf(write, record, at), ...settled, ...newChildren(write, record, history) });
  };
  const unfound: OpenWriteOfKind[] = [];
  for (const group of groupBy(creates, ({ kind, intent }) => `${kind.name} ${intent.content}`).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { kind, intent } = first;
    const records = inventory.kinds.get(kind.name)?.records ?? [];
    const alike = records.filter(
      (record) => isFree(record, group) && recordFingerprint(kind, record.body) === intent.content,
    );
    group.forEach((write, index) => {
      const record = alike[index];
      if (record === undefined || alike.length > group.length) unfound.push(write);
      else take(write, record, asSent(write, record));
    });
  }
  for (const write of unfound) {
    const { kind, intent } = write;
    const namesakes = (inventory.kinds.get(kind.name)?.records ?? []).filter(
      (record) => isNamesake(record, write) && isFree(record, [write]),
    );
    const [only, ...more] = namesakes;
    if (only === undefined)
      entries.push({ type: "refused", at, key: intent.key, write: "create", code: "not-applied" });
    else if (more.length === 0) take(write, only, notAsSent(write));
    else {
      const ids = namesakes.map(({ id }) => id).join(", ");
      const message = `an earlier run was cut short while it created this ${kind.singular}, and the target has ${namesakes.length} new ones of its name (${ids}): delete what is not wanted, or name the right one in a map file`;
      unknown.set(intent.key, message);
    }
  }
  return { entries, unknown };
}

/** Compares the hosts, too, because two alerts of one name may be on two dashboards. */
function isNamesake({ name, body }: StackRecord, { kind, intent }: OpenWriteOfKind): boolean {
  const hosts = hostKeysOf(kind, body).map(foldIds);
  const livesThere = (intent.hosts ?? []).every((host) => hosts.includes(foldIds(host)));
  return intent.name !== "" && name.trim() === intent.name.trim() && livesThere;
}

/** Only a rollback puts children back under new ids. */
function newChildren(
  { kind, run, intent }: OpenWriteOfKind,
  { body }: StackRecord,
  { runs, writesOf }: History,
): Pick<Settled, "children"> {
  const undoes = runs.find(({ number }) => number === run)?.undoes;
  const image = undoes === undefined ? undefined : writesOf(undoes).find(({ key }) => key === intent.key)?.image;
  return image === undefined ? {} : { children: childPairsByPosition(kind, image.body, body) };
}

/** Settles no part. With the digest of the sent body, a rollback takes the record for edited. */
function notAsSent({ intent }: OpenWrite): Settled & Pick<EntryOf<"done">, "content"> {
  const { content = "", write, lacksLinks = write === "link" || undefined } = intent;
  return { content, parts: {}, whole: false, lacksLinks };
}

function asSent({ kind, intent: { kept = [], lacksLinks } }: OpenWriteOfKind, { body }: StackRecord): Settled {
  const parts = partsOfTarget(kind, body).filter(({ key }) => !kept.includes(key));
  return { ...settledByWrite(parts, parts, { base: undefined, kept }), lacksLinks };
}

function settleOther(
  write: OpenWriteOfKind,
  history: History,
  inventory: Inventory,
  at: string,
): ResultEntry | undefined {
  const { kind, intent } = write;
  const { key, targetId = "", content, image } = intent;
  const record = recordFinder(inventory)(kind.name, targetId);
  const notApplied = { type: "refused", at, key, write: intent.write, code: "not-applied" } as const;
  if (record === undefined) {
    const isGone = inventory.kinds.get(kind.name)?.status === "complete";
    if (!isGone) return undefined;
    return intent.write === "delete" ? { type: "done", at, key, write: "delete", targetId, content: "" } : notApplied;
  }
  if (intent.write === "delete") return notApplied;
  const now = recordFingerprint(kind, record.body);
  // A link has no image, because it replaces what the run itself has written.
  if (now === (image?.digest ?? history.lastWrites.get(foldedKey(kind.name, targetId)))) return notApplied;
  const done = doneOf(write, record, at);
  if (now !== content) return { ...done, ...notAsSent(write), forgets: true };
  return { ...done, ...asSent(write, record), ...newChildren(write, record, history) };
}

function doneOf({ kind, intent }: OpenWriteOfKind, { id, body }: StackRecord, at: string): EntryOf<"done"> {
  const { key, write } = intent;
  return { type: "done", at, key, write, targetId: id, content: recordFingerprint(kind, body) };
}
