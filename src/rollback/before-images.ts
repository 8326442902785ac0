import type { OutcomeCode } from "../core/codes.ts";
import type { JsonObject } from "../core/json.ts";
import type { Base, Bases, PartBase } from "../core/plan/base.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Image } from "../core/plan/journal.ts";
import { keyOfRecord, splitKey, targetKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { FindRecord, ResourceKind } from "../core/resource-kind.ts";
import type { SettledHistory } from "../import/read/settle-open-writes.ts";
import type { RunWrite } from "../journal/fold.ts";
import { findKind, knownKind } from "../kinds/registry.ts";
import { recordFinder } from "../matching/inventory.ts";
import type { IsMadeAgain } from "../matching/match-records.ts";
import { borrowSecrets, findPlaceholders } from "../redaction/placeholders.ts";
import { childIdOf, childrenOf, childPairsByPosition, childrenOfSameId } from "../references/children.ts";
import { foldIds, isSameId } from "../references/known-ids.ts";
import { partDigest, partsOfTarget } from "../references/parts.ts";
import { recordFingerprint } from "../references/record-content.ts";
import { findReferences } from "../references/references.ts";
import { laterWrite, leaveAlone, OWN_MESSAGES, type RunToUndo } from "./outcomes.ts";

/** The target's records as they were before a run. Their keys contain ids of the target. */
export interface BeforeImages {
  /** Records that the run replaced or deleted or that earlier rollbacks restored, and the records to which those refer. */
  readonly records: readonly StackRecord[];
  /** Keys of the `records` to put back. Other records are only matched. */
  readonly restored: ReadonlySet<RecordKey>;
  /** Bases of the images whose records the target still has. */
  readonly bases: Bases;
  readonly created: Bases;
  readonly left: readonly Outcome[];
  readonly journalKeys: ReadonlyMap<RecordKey, RecordKey>;
  readonly isMadeAgain: IsMadeAgain;
}

/** `record` is the created record, or the image of a replaced or deleted record. */
type Undo =
  | { readonly left: Outcome }
  | { readonly record: StackRecord; readonly base: Base | undefined; readonly isCreated: boolean };

export function beforeImages(input: RunToUndo): BeforeImages {
  const { history, run } = input;
  const writes = [
    ...history.writesOf(run).filter(({ key }) => !history.isUndone(run, key)),
    ...lostByRollbacks(history, run),
  ];
  const [images, left] = [new Array<StackRecord>(), ambiguousCreates(input)];
  const [bases, created] = [new Map<RecordKey, Base>(), new Map<RecordKey, Base>()];
  const journalKeys = new Map<RecordKey, RecordKey>();
  for (const write of writes) {
    const undo = undoWrite(write, input);
    if (undo === undefined) continue;
    if ("left" in undo) {
      left.push(undo.left);
      continue;
    }
    const { record, base, isCreated } = undo;
    journalKeys.set(keyOfRecord(record), write.key);
    if (!isCreated) images.push(record);
    if (base !== undefined) (isCreated ? created : bases).set(keyOfRecord(record), base);
  }
  const earlier = putBackEarlier(input, new Set([...images.map(keyOfRecord), ...created.keys()]));
  const restored = new Set(images.map(keyOfRecord));
  for (const { image, base, journalKey, isUnfinished } of earlier) {
    const key = keyOfRecord(image);
    bases.set(key, base);
    journalKeys.set(key, journalKey);
    if (isUnfinished) restored.add(key);
  }
  const all = [...images, ...earlier.map(({ image }) => image)];
  return {
    records: [...all, ...contextOf(all, input, created)],
    restored,
    bases,
    created,
    left: left.filter((outcome) => !restored.has(targetKey(outcome))),
    journalKeys,
    isMadeAgain: madeAgainFinder(writes, { journalKeys, created }),
  };
}

/** A namesake from before the delete is not the deleted record made again. */
function madeAgainFinder(
  writes: readonly RunWrite[],
  { journalKeys, created }: Pick<BeforeImages, "journalKeys" | "created">,
): IsMadeAgain {
  const deletes = new Map(writes.flatMap((write) => (write.action === "delete" ? [[write.key, write] as const] : [])));
  return (deleted, record) => {
    const journalKey = journalKeys.get(keyOfRecord(deleted));
    const write = journalKey && deletes.get(journalKey);
    const wasThere = write?.namesakes.some((namesake) => isSameId(namesake, record.id)) ?? true;
    return !wasThere && !created.has(keyOfRecord(record));
  };
}

const UNPROVEN = "nothing proves that the import created it; delete it by hand if it did";
const ONE_OF_SEVERAL =
  "was perhaps created by the import, but several records of the target could be this one; find out which one the import created, and delete it by hand";

function undoWrite(write: RunWrite, input: RunToUndo): Undo | undefined {
  const { history, inventory, run, force } = input;
  const [kindName, sourceId] = splitKey(write.key);
  const kind = findKind(kindName);
  if (kind === undefined) return undefined;
  const { targetId, content } = asLeft(write, history);
  const find = recordFinder(inventory);
  const current = find(kindName, targetId);
  const about = { kind: kindName, id: targetId, name: write.name };
  const leave = (code: OutcomeCode, message?: string): Undo => ({
    left: leaveAlone(current ?? about, code, { sourceId, message, find }),
  });
  const later = laterWrite(history, run, write.key);
  if (write.action === "delete") return later === undefined ? undoDelete(write, kind, targetId, find) : undefined;
  if (current === undefined) return leave("gone");
  if (later !== undefined && !force)
    return leave("later-run", `run ${later.run} wrote it later; undo that run first, or undo both with --force`);
  const base = baseOf(kind, current, content, write.image?.body);
  if (write.action === "create")
    return isProven(current, write.since) ? { record: current, base, isCreated: true } : leave("ambiguous", UNPROVEN);
  if (write.image === undefined) return leave("no-previous");
  const image = withOwnSecrets(kind, write.image, current);
  if (image === undefined) return leave("redacted", redactedText(write, history));
  return { record: image, base: { ...base, children: childrenOfSameId(kind, image.body) }, isCreated: false };
}

function redactedText({ key, run }: RunWrite, { standing }: SettledHistory): string | undefined {
  const needsNone = ({ action, image }: RunWrite): boolean =>
    action === "create" || (image !== undefined && findPlaceholders(image.body).length === 0);
  const earlier = standing.get(key)?.findLast((each) => each.run < run && needsNone(each));
  return earlier && `${OWN_MESSAGES.redacted}; or undo both with --run ${earlier.run} --force`;
}

/** Undefined without an image: the run itself had created the record that it deleted. */
function undoDelete(
  { key, image }: RunWrite,
  kind: ResourceKind,
  targetId: string,
  find: FindRecord,
): Undo | undefined {
  if (image === undefined) return undefined;
  const record = imageOf(kind, image, targetId);
  const isLacking = find(kind.name, targetId) === undefined && findPlaceholders(record.body).length > 0;
  if (!isLacking) return { record, base: undefined, isCreated: false };
  return { left: leaveAlone(record, "redacted", { sourceId: splitKey(key)[1], find }) };
}

/** The journal has no secrets, so those of `current` fill the image. Undefined if the filled image has another digest. */
function withOwnSecrets(kind: ResourceKind, stored: Image, current: StackRecord): StackRecord | undefined {
  const image = imageOf(kind, stored, current.id);
  if (findPlaceholders(image.body).length === 0) return image;
  const filled = { ...image, body: borrowSecrets(image.body, inOrderOf(kind, image.body, current.body)) };
  return recordFingerprint(kind, filled.body) === stored.digest ? filled : undefined;
}

function lostByRollbacks(history: SettledHistory, run: number): RunWrite[] {
  const ofRun = new Map(history.writesOf(run).map((write) => [write.key, write]));
  const rollbacks = history.runs.filter(({ undoes }) => undoes === run);
  return rollbacks.flatMap(({ number }) =>
    history.writesOf(number).flatMap((write): RunWrite[] => {
      const undone = ofRun.get(write.key);
      const isGone = write.isLost && undone?.action !== "create" && asLeft(write, history).content === "";
      return isGone ? [{ ...write, image: undone?.image ?? write.image }] : [];
    }),
  );
}

/** Returns `body` with the children in the order of `other`, because `borrowSecrets` pairs children by position. */
function inOrderOf(kind: ResourceKind, other: JsonObject, body: JsonObject): JsonObject {
  const ordered = kind.children.flatMap((children): [string, JsonObject[]][] => {
    if (body[children.member] === undefined) return [];
    const byId = new Map(childrenOf(body, children).map((child) => [foldIds(childIdOf(child)), child]));
    return [[children.member, childrenOf(other, children).map((child) => byId.get(foldIds(childIdOf(child))) ?? {})]];
  });
  return { ...body, ...Object.fromEntries(ordered) };
}

function asLeft(write: RunWrite, { writesTo }: SettledHistory): Pick<RunWrite, "targetId" | "content"> {
  let { targetId, content } = write;
  for (const later of writesTo(write.key)) {
    const isOfThis = later.action === "create" ? content === "" : isSameId(later.targetId, targetId);
    if (later.run <= write.run || !isOfThis) continue;
    if ((later.image?.digest ?? "") !== content) break;
    ({ targetId, content } = later);
  }
  return { targetId, content };
}

/** No desired part has this digest, so an image always counts as changed at the source. */
const NOTHING_DESIRED = "-";
/** No stored part has this digest, so a part always counts as changed on the target. */
const SOMETHING_ELSE = "-";

/**
 * If somebody has changed the record since the run, every part counts as changed on the target.
 * @param content the digest of the record as the run left it
 */
function baseOf(
  kind: ResourceKind,
  { id: targetId, name, body }: StackRecord,
  content: string,
  image: JsonObject = {},
): Base {
  const isAsLeft = recordFingerprint(kind, body) === content;
  const partsOf = (of: JsonObject): [string, PartBase][] =>
    partsOfTarget(kind, of).map(({ key, value }) => {
      const stored = isAsLeft ? partDigest(value) : SOMETHING_ELSE;
      return [key, { desired: NOTHING_DESIRED, stored, written: true }];
    });
  const parts = [...(isAsLeft ? [] : partsOf(image)), ...partsOf(body)];
  return { targetId, name, ours: true, parts: Object.fromEntries(parts), whole: true };
}

function imageOf(kind: ResourceKind, { name, body }: Pick<StackRecord, "name" | "body">, id: string): StackRecord {
  return { kind: kind.name, id, name, body: { ...body, id } };
}

/** A server's clock may be wrong by an hour, or by a time zone. */
const CLOCK_DIFFERENCE_MS = 24 * 60 * 60_000;

/** A record older than the run stays, even with `--force`: somebody may have edited the journal. */
function isProven({ body: { createdAt } }: StackRecord, since: string): boolean {
  return typeof createdAt !== "string" || !(Date.parse(createdAt) < Date.parse(since) - CLOCK_DIFFERENCE_MS);
}

function ambiguousCreates({ history, run }: RunToUndo): Outcome[] {
  return history.open.flatMap((open) => {
    const { key, name } = open.intent;
    const [kind, id] = splitKey(key);
    return open.run === run && history.unknownCreates.has(key)
      ? [leaveAlone({ kind, id, name }, "ambiguous", { message: ONE_OF_SEVERAL })]
      : [];
  });
}

interface PutBackEarlier {
  readonly image: StackRecord;
  readonly journalKey: RecordKey;
  readonly base: Base;
  /** An earlier rollback of the same run may have left the record incomplete. */
  readonly isUnfinished: boolean;
}

/**
 * Finds what earlier rollbacks restored, because images can refer to the former ids.
 * @param asked records that this rollback undoes; left out
 */
function putBackEarlier({ history, inventory, run }: RunToUndo, asked: ReadonlySet<RecordKey>): PutBackEarlier[] {
  const found = new Map<RecordKey, PutBackEarlier>();
  for (const { number, undoes, isCutShort } of history.runs) {
    if (undoes === undefined) continue;
    const undone = new Map(history.writesOf(undoes).map((write) => [write.key, write]));
    for (const write of history.writesOf(number)) {
      const putBack = putBackBy(write, undone.get(write.key), { history, inventory });
      if (putBack === undefined) continue;
      const { image, now, base, isAsStored } = putBack;
      if (asked.has(keyOfRecord(image)) || asked.has(keyOfRecord(now))) continue;
      // An interrupted rollback may have left a record without links.
      const isUnknown = isCutShort && !isAsStored;
      const isUnfinished = (write.lacksLinks || isUnknown) && undoes === run;
      found.set(keyOfRecord(image), { image, journalKey: write.key, base, isUnfinished });
    }
  }
  return [...found.values()];
}

/** @param undone the earlier write that `write` undid */
function putBackBy(
  write: RunWrite,
  undone: RunWrite | undefined,
  { history, inventory }: Pick<RunToUndo, "history" | "inventory">,
) {
  const [kindName] = splitKey(write.key);
  const kind = findKind(kindName);
  const present = asLeft(write, history);
  const now = recordFinder(inventory)(kindName, present.targetId);
  if (write.action === "delete" || kind === undefined || undone?.image === undefined || now === undefined)
    return undefined;
  const isAsStored = recordFingerprint(kind, now.body) === present.content;
  // An update can give children new ids, which positions pair only in an unchanged record.
  if (write.action === "update" && !isAsStored) return undefined;
  const image = imageOf(kind, undone.image, undone.targetId);
  const children = childPairsByPosition(kind, image.body, now.body);
  return { image, now, base: { ...baseOf(kind, now, present.content), children }, isAsStored };
}

function contextOf(images: readonly StackRecord[], { inventory }: RunToUndo, created: Bases): StackRecord[] {
  const find = recordFinder(inventory);
  const imageKeys = new Set(images.map(keyOfRecord));
  const referenced = images.flatMap(({ kind, body }) => findReferences(knownKind(kind), body, new Map()));
  const found = referenced.flatMap(({ record }) => (record === undefined ? [] : (find(...splitKey(record)) ?? [])));
  return [...new Set(found)].filter(
    (record) => !imageKeys.has(keyOfRecord(record)) && !created.has(keyOfRecord(record)),
  );
}
