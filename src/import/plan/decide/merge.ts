import { groupBy } from "../../../core/collections.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { qualifiedChildId, type IdMap } from "../../../core/plan/id-map.ts";
import type { TakenParts } from "../../../core/plan/plan.ts";
import type { RecordState } from "../../../core/plan/state.ts";
import { keyOfRecord, labelOfChild, type RecordKey, type StackRecord } from "../../../core/records/record.ts";
import type { ChildIds, ResourceKind } from "../../../core/resource-kind.ts";
import { nounOf } from "../../../kinds/nouns.ts";
import type { TargetIndex } from "../../../matching/target-index.ts";
import { childIdOf } from "../../../references/children.ts";
import { foldIds } from "../../../references/known-ids.ts";
import { partDigest, comparableContent } from "../../../references/record-content.ts";

/** The input for merging one record. */
export interface MergeInput {
  readonly kind: ResourceKind;
  readonly record: StackRecord;
  /** The archive's body as the last import sent it if the source has not changed since. */
  readonly sent: JsonObject;
  /** The archive's body as an update would send it whole, with the target's secrets in place of redacted secrets. */
  readonly compared: JsonObject;
  /** The body `compared`, but with the target's dead links in place of working links. */
  readonly deadLinked: JsonObject;
  readonly target: StackRecord;
  /** The parts that both sides had at the last import; undefined if no state contains them. */
  readonly base: RecordState | undefined;
  readonly ids: IdMap;
  readonly index: TargetIndex;
  /** Records of the target that the run deletes before its other writes. */
  readonly removedFirst: ReadonlySet<RecordKey>;
}

/** The parts that a merge takes from the archive, and the parts that stay on the target. */
export interface MergeResult {
  readonly parts: TakenParts;
  /** Labels of differing parts that stay as on the target, although the target's version may be wrong. */
  readonly conflicts: readonly string[];
}

/** The fate of one part. `keep`: only the target has changed the part, so it stays as it is there. */
type Fate = "same" | "take" | "keep" | "conflict";

/**
 * Merges the changes of both sides since the last import, part by part (tile, filter, member). A part stays as on the target if
 * both sides have changed it, or if it differs and no state tells which side has changed it. A child is removed only if the target
 * has not changed the child and no record of the target lives on the child.
 */
export function mergeRecords(input: MergeInput): MergeResult {
  const { kind, sent, compared, deadLinked, target } = input;
  const bodies = { sent, compared, deadLinked, stored: target.body };
  const contents = mapSides(bodies, (body) => comparableContent(kind, body));
  const members = mergeMembers(input, contents);
  const children = kind.children.map((childKind) => ({
    childKind,
    fates: mergeChildren(childKind, input, contents),
  }));
  const fates = [...members, ...children.flatMap((each) => each.fates)];
  const conflicts = fates.flatMap(({ fate, label }) => (fate === "conflict" ? [label] : []));
  const takenOf = (side: "archive" | "target"): Readonly<Record<string, readonly number[]>> =>
    Object.fromEntries(
      children.map(({ childKind, fates: ofKind }) => [
        childKind.member,
        ofKind.flatMap((each) => (each.fate === "take" && each.side === side ? [each.position] : [])),
      ]),
    );
  const isEdited = fates.some(({ fate }) => fate === "keep");
  return {
    conflicts,
    parts: {
      members: members.flatMap(({ fate, names }) => (fate === "take" ? names : [])),
      taken: takenOf("archive"),
      removed: takenOf("target"),
      leaves: conflicts.length > 0 ? "conflicts" : isEdited ? "edits" : "nothing",
    },
  };
}

/** A whole record, or one part of it, on each side of a merge. */
interface Sides<Value> {
  readonly sent: Value;
  readonly compared: Value;
  readonly deadLinked: Value;
  readonly stored: Value;
}

function mapSides<From, To>({ sent, compared, deadLinked, stored }: Sides<From>, map: (side: From) => To): Sides<To> {
  return { sent: map(sent), compared: map(compared), deadLinked: map(deadLinked), stored: map(stored) };
}

/**
 * Decides on one part, by which side has changed it since the last import. If a part of the target differs only by dead links, the
 * archive's part is taken, because the target loses nothing.
 * @param key the key of the part in content digests
 */
function fateOf(key: string, base: RecordState | undefined, part: Sides<JsonValue | undefined>): Fate {
  const digests = mapSides(part, digestOfPart);
  if (digests.compared === digests.stored) return "same";
  if (digests.deadLinked === digests.stored) return "take";
  if (base?.sent === undefined || base.stored === undefined) return "conflict";
  // The last import may have filled in secrets that this import lacks. The target still has these secrets.
  const isChangedHere = ![digests.sent, digests.compared].includes(base.sent.members[key]);
  const isChangedThere = base.stored.members[key] !== digests.stored;
  if (isChangedHere && isChangedThere) return "conflict";
  if (isChangedHere) return "take";
  return isChangedThere ? "keep" : "same";
}

function digestOfPart(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : partDigest(value);
}

function mergeMembers({ kind, base }: MergeInput, contents: Sides<JsonObject>) {
  const holdsChildren = (member: string): boolean => kind.children.some((children) => children.member === member);
  const all = [...new Set([...Object.keys(contents.compared), ...Object.keys(contents.stored)])];
  const groups = groupBy(
    all.filter((member) => !holdsChildren(member)),
    (member) => kind.mergedAsOne?.find((names) => names.includes(member))?.[0] ?? member,
  );
  return [...groups].map(([label, present]) => {
    const names = kind.mergedAsOne?.find((together) => together.includes(label)) ?? present;
    const fates = names.map((name) =>
      fateOf(
        name,
        base,
        mapSides(contents, (content) => content[name]),
      ),
    );
    const [first = "same", ...others] = [...new Set(fates)].filter((fate) => fate !== "same");
    return { label, names, fate: others.length > 0 ? ("conflict" as const) : first };
  });
}

interface ChildFate {
  readonly fate: Fate;
  readonly label: string;
  /** The side on which the child has this `position`. If only the target has the child, `take` removes the child. */
  readonly side: "archive" | "target";
  readonly position: number;
}

/** The children of one kind on all sides of a merge. */
interface ChildLists extends MergeInput {
  readonly childKind: ChildIds;
  readonly lists: Sides<readonly JsonValue[]>;
  /** Ids that several children of the target have. Nothing tells such children apart, so none of them is changed. */
  readonly doubled: ReadonlySet<string>;
}

function mergeChildren(childKind: ChildIds, input: MergeInput, contents: Sides<JsonObject>): ChildFate[] {
  const { record, target, ids } = input;
  const { member, space, nameOf } = childKind;
  const archived = listOf(record.body, member);
  const present = listOf(target.body, member);
  const presentIds = present.map((child) => foldIds(idOf(child)));
  const positions = new Map(presentIds.map((id, position) => [id, position]));
  const counterparts = archived.map((child) => {
    const targetId = ids.get(space, qualifiedChildId(record.id, idOf(child)));
    return targetId === undefined ? undefined : positions.get(foldIds(targetId));
  });
  const paired = new Set(counterparts);
  const lists = mapSides(contents, (content) => listOf(content, member));
  const doubled = new Set(presentIds.filter((id, position) => positions.get(id) !== position));
  const children = { ...input, childKind, lists, doubled };
  const fates = archived.map((child, position): ChildFate => {
    const name = isJsonObject(child) ? nameOf(child) : "";
    const label = `${nounOf(space)} "${labelOfChild("number", name, position)}"`;
    const at = counterparts[position];
    const fate =
      at === undefined
        ? fateOfUnpaired(children, idOf(child), position)
        : fateOfPair(children, presentIds[at] ?? "", position, at);
    return { label, side: "archive", position, fate };
  });
  const alone = present.flatMap((child, position): ChildFate[] => {
    if (paired.has(position)) return [];
    const name = isJsonObject(child) ? nameOf(child) : "";
    const label = `${nounOf(space)} "${labelOfChild("number", name, position)}", which the archive does not have`;
    return [{ label, side: "target", position, fate: fateOfTargetOnly(children, idOf(child), position) }];
  });
  return [...fates, ...alone];
}

/** Decides on a child that both sides have. @param id its folded id on the target */
function fateOfPair({ childKind, lists, doubled, base }: ChildLists, id: string, position: number, at: number): Fate {
  if (doubled.has(id)) return "conflict";
  const key = `${childKind.member}/${id}`;
  const part = { ...mapSides(lists, (list) => list[position]), stored: lists.stored[at] };
  return fateOf(key, isKnown(key, base) ? base : undefined, part);
}

/** Decides on a child of the archive without a counterpart: the child is new at the source, or was removed on the target. */
function fateOfUnpaired({ childKind, lists, base }: ChildLists, sourceId: string, position: number): Fate {
  const key = formerKey(childKind, base, sourceId);
  if (key === undefined) return "take";
  return base?.sent?.members[key] === digestOfPart(lists.sent[position]) ? "keep" : "conflict";
}

/**
 * Returns the key that a child of the archive had in the digests of the last import; undefined if only one side had the child. If
 * the target lacks such a child now, somebody has removed it there.
 */
export function formerKey({ member, space }: ChildIds, base: RecordState | undefined, id: string): string | undefined {
  const key = `${member}/${foldIds(base?.children?.[space]?.[id] ?? "")}`;
  return isKnown(key, base) ? key : undefined;
}

/** Decides on a child that only the target has: the child was added there, or was removed at the source. */
function fateOfTargetOnly(children: ChildLists, id: string, position: number): Fate {
  const { childKind, lists, doubled, base, index, target, removedFirst } = children;
  if (base?.sent === undefined || doubled.has(foldIds(id))) return "conflict";
  const key = `${childKind.member}/${foldIds(id)}`;
  if (!isKnown(key, base)) return "keep";
  const isEdited = base.stored?.members[key] !== digestOfPart(lists.stored[position]);
  const dependents = index.dependentsOf(childKind.space, qualifiedChildId(target.id, id));
  const isWatched = dependents.some((dependent) => !removedFirst.has(keyOfRecord(dependent)));
  return isEdited || isWatched ? "conflict" : "take";
}

/** Tells whether both sides had the part at the last import. */
function isKnown(key: string, base: RecordState | undefined): boolean {
  return base?.sent?.members[key] !== undefined;
}

function listOf(body: JsonObject, member: string): readonly JsonValue[] {
  const list = body[member];
  return isJsonArray(list) ? list : [];
}

function idOf(child: JsonValue): string {
  return isJsonObject(child) ? childIdOf(child) : "";
}
