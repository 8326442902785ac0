import type { Base, Bases, PartBase } from "../core/plan/base.ts";
import type { Settled, SettledPart } from "../core/plan/journal.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { borrowSecrets } from "../redaction/placeholders.ts";
import { ID_PATTERN, type RecordKey } from "../core/records/record.ts";
import { idsIn, isSameId } from "./known-ids.ts";
import { areSameApartFromIdCase } from "./record-content.ts";
import { partDigest, type Part } from "./parts.ts";

/** The side that changed a part since both sides last agreed. `unknown`: nothing tells who changed the part. */
export type Change = "same" | "here" | "there" | "both" | "unknown";

export interface PartChange {
  readonly key: string;
  readonly label: string;
  readonly change: Change;
  readonly source: Part | undefined;
  readonly target: Part | undefined;
  /** A part that the target stores in another form is `same` without being equal. */
  readonly isEqual: boolean;
}

/** Undefined if the base is of another counterpart. */
export function baseOfPair(bases: Bases, key: RecordKey, targetId: string): Base | undefined {
  const base = bases.get(key);
  return base !== undefined && isSameId(base.targetId, targetId) ? base : undefined;
}

export interface ArchiveTime {
  /** When the archive was exported: ISO 8601, UTC. Absent for files, which count as newest. */
  readonly archived?: string | undefined;
  readonly ownStack: boolean;
}

/** A placeholder in `desired` equals the target's text in its place. The order of children means nothing. */
export function compareParts(
  desired: readonly Part[],
  stored: readonly Part[],
  base: Base | undefined,
  time: ArchiveTime,
): PartChange[] {
  const changeOf = ({ key, label }: Part, source: Part | undefined, target: Part | undefined): PartChange => {
    const isEqual = source !== undefined && target !== undefined && areEqual(source.value, target.value);
    const change = isEqual ? "same" : changeSince(key, source, target, base, time);
    return { key, label, change, source, target, isEqual };
  };
  const targets = new Map(stored.map((part) => [part.key, part]));
  const sourceKeys = new Set(desired.map(({ key }) => key));
  return [
    ...desired.map((source) => changeOf(source, source, targets.get(source.key))),
    ...stored.filter(({ key }) => !sourceKeys.has(key)).map((target) => changeOf(target, undefined, target)),
  ];
}

export function differingParts(desired: readonly Part[], stored: readonly Part[]): PartChange[] {
  return compareParts(desired, stored, undefined, { ownStack: false }).filter(({ isEqual }) => !isEqual);
}

function areEqual(desired: JsonValue, stored: JsonValue): boolean {
  if (areSameApartFromIdCase(desired, stored)) return true;
  const borrowed = withSecretsOf(desired, stored);
  return borrowed !== desired && areSameApartFromIdCase(borrowed, stored);
}

export function differsInIds(
  { source, target, isEqual }: PartChange,
  isDead: (id: string, storedId: string) => boolean,
): boolean {
  if (isEqual || source === undefined || target === undefined) return false;
  const areAlike = (desired: string, stored: string): boolean => {
    const [ids, storedIds] = [idsIn(desired), idsIn(stored)];
    const isSameText = desired.replaceAll(ID_PATTERN, "") === stored.replaceAll(ID_PATTERN, "");
    return (
      isSameText && ids.length > 0 && ids.every((id, at) => id === storedIds[at] || isDead(id, storedIds[at] ?? ""))
    );
  };
  return areSameApartFromIdCase(withSecretsOf(source.value, target.value), target.value, areAlike);
}

function withSecretsOf(desired: JsonValue, stored: JsonValue): JsonValue {
  const body: JsonObject = { value: desired };
  const borrowed = borrowSecrets(body, { value: stored });
  return borrowed === body ? desired : (borrowed["value"] ?? desired);
}

function desiredDigest(source: Part | undefined, target: Part | undefined): string {
  if (source === undefined || target === undefined) return partDigest(source?.value);
  return partDigest(withSecretsOf(source.value, target.value));
}

function changeSince(
  key: string,
  source: Part | undefined,
  target: Part | undefined,
  base: Base | undefined,
  time: ArchiveTime,
): Change {
  const part = base?.parts[key];
  if (base === undefined || (part === undefined && !base.whole)) return "unknown";
  if (part === undefined) return changeOfNewPart(source, target, base, time);
  const isHere = desiredDigest(source, target) !== part.desired;
  const isThere = partDigest(target?.value) !== part.stored;
  if (isThere) return isHere ? "both" : "there";
  if (!isHere) return "same";
  return isNewer(part, time) ? "here" : "unknown";
}

function changeOfNewPart(
  source: Part | undefined,
  target: Part | undefined,
  { ours, archived }: Base,
  time: ArchiveTime,
): Change {
  // A new member that is not optional counts as the server's own: a later release may show more members.
  if (source === undefined) return target?.isOptional === true ? "there" : "same";
  if (target !== undefined) return "both";
  return isNewer({ archived, written: ours }, time) ? "here" : "unknown";
}

/** In a backup of the target itself, only a part that an import wrote can be newer. */
function isNewer(settled: Pick<PartBase, "archived" | "written">, { archived, ownStack }: ArchiveTime): boolean {
  if (ownStack && !settled.written) return false;
  return archived === undefined || settled.archived === undefined || archived >= settled.archived;
}

export function isAsSettled(stored: readonly Part[], { parts, whole }: Base): boolean {
  const present = new Map(stored.map((part) => [part.key, part]));
  const isKept = Object.entries(parts).every(([key, part]) => partDigest(present.get(key)?.value) === part.stored);
  const isAdded = stored.some((part) => !Object.hasOwn(parts, part.key) && (!whole || part.isOptional));
  return isKept && !isAdded;
}

export function gravestChange(changes: readonly Pick<PartChange, "change">[]): Change {
  const found = new Set(changes.map(({ change }) => change));
  if (found.has("unknown")) return "unknown";
  if (found.has("both") || (found.has("here") && found.has("there"))) return "both";
  return found.has("there") ? "there" : found.has("here") ? "here" : "same";
}

export function settledByLook(changes: readonly PartChange[], base: Base | undefined): Settled | undefined {
  const equal = changes.flatMap(({ key, isEqual, source, target }) => {
    const part = base?.parts[key];
    if (!isEqual) return [];
    const [desired, stored] = [desiredDigest(source, target), partDigest(target?.value)];
    const isKnown = part?.desired === desired && part.stored === stored;
    return isKnown ? [] : [[key, settledPart(desired, stored)] as const];
  });
  const present = new Set(changes.map(({ key }) => key));
  const gone = Object.keys(base?.parts ?? {}).filter((key) => !present.has(key));
  const whole = changes.every(({ change }) => change !== "unknown");
  const lacksLinks = base?.lacksLinks === true && changes.some(({ change }) => change !== "same");
  const isNew =
    equal.length + gone.length > 0 || (whole && base?.whole !== true) || (base?.lacksLinks === true && !lacksLinks);
  if (!isNew) return undefined;
  return {
    parts: Object.fromEntries(gone.map((key) => [key, null])),
    ...(equal.length > 0 && { equal: Object.fromEntries(equal) }),
    ...(whole && { whole }),
    ...(lacksLinks && { lacksLinks }),
  };
}

export interface KeptParts {
  readonly base: Base | undefined;
  /** Keys of the parts that the write leaves to the target. */
  readonly kept: readonly string[];
  readonly before?: readonly Part[] | undefined;
}

export function settledByWrite(
  desired: readonly Part[],
  stored: readonly Part[],
  { base, kept, before = [] }: KeptParts,
): Settled {
  const answered = new Map(stored.map((part) => [part.key, part]));
  const wanted = new Map(desired.map((part) => [part.key, desiredDigest(part, answered.get(part.key))]));
  const present = new Map(stored.map(({ key, value }) => [key, partDigest(value)]));
  const keys = new Set([...wanted.keys(), ...present.keys(), ...Object.keys(base?.parts ?? {})]);
  const parts = [...keys]
    .filter((key) => !kept.includes(key))
    .map((key) => {
      const [from, to] = [wanted.get(key) ?? "", present.get(key) ?? ""];
      return [key, from === "" && to === "" ? null : settledPart(from, to)] as const;
    });
  // A write may have to change a kept part, such as a tile of a removed container. The part still counts as edited.
  const overwritten = before.flatMap(({ key, value }) => {
    const part = kept.includes(key) ? base?.parts[key] : undefined;
    const edited = partDigest(value);
    return part === undefined || edited === present.get(key) ? [] : [[key, settledPart(part.desired, edited)] as const];
  });
  return { parts: Object.fromEntries([...parts, ...overwritten]), ...(kept.length === 0 && { whole: true }) };
}

function settledPart(desired: string, stored: string): SettledPart {
  return desired === stored ? desired : [desired, stored];
}
