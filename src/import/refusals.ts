import { getOrMake } from "../core/collections.ts";
import { StackError } from "../core/errors.ts";
import { isJsonObject, objectsIn, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Warning } from "../core/outcome.ts";
import {
  formatPointer,
  memberPathOf,
  placesAt,
  valueAtTokens,
  withValueAt,
  type MemberPath,
} from "../core/records/member-path.ts";
import type { KindName } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { nounOf } from "../kinds/nouns.ts";
import { isVital } from "../kinds/members/vital-members.ts";

type Tokens = readonly string[];

export interface ReducedBody {
  readonly body: JsonObject;
  readonly leftOut: readonly Tokens[];
}

/** The type decides which other members a stack knows. */
const TYPE_MEMBERS: readonly string[] = ["displayType", "configType", "kind", "type", "service"];

/** Only the stack's answers tell which members it knows (docs/api.md#dashboard-members). */
export class UnknownMembers {
  readonly #learned = new Map<KindName, Map<MemberPath, Set<string>>>();

  withoutUnknown(kind: ResourceKind, body: JsonObject): ReducedBody {
    const learned = this.#learned.get(kind.name);
    if (learned === undefined) return { body, leftOut: [] };
    const leftOut = [...learned].flatMap(([path, types]) =>
      placesAt(body, path)
        .map(({ tokens }) => tokens)
        .filter((tokens) => types.has(typeAround(body, tokens)) && !isVital(kind, body, tokens)),
    );
    return { body: leftOut.reduce((copy, tokens) => withValueAt(copy, tokens, undefined), body), leftOut };
  }

  /** Returns false and notes nothing if the body has none of the members, or must keep one. */
  addUnknown(kind: ResourceKind, body: JsonObject, places: readonly Tokens[]): boolean {
    const presentPlaces = places.filter((tokens) => valueAtTokens(body, tokens) !== undefined);
    if (presentPlaces.length === 0 || presentPlaces.some((tokens) => isVital(kind, body, tokens))) return false;
    const learned = getOrMake(this.#learned, kind.name, () => new Map<MemberPath, Set<string>>());
    for (const tokens of presentPlaces) {
      getOrMake(learned, memberPathOf(tokens), () => new Set<string>()).add(typeAround(body, tokens));
    }
    return true;
  }
}

export function warnOfLeftOutMembers(
  kind: ResourceKind,
  name: string,
  body: JsonObject,
  leftOut: readonly Tokens[],
): Warning[] {
  const message = `the stack refuses this member of the ${kind.singular} "${name}", so the ${kind.singular} is written without it`;
  return leftOut
    .filter((tokens) => differsFromAbsent(kind, tokens, valueAtTokens(body, tokens) ?? null))
    .map((tokens) => ({ code: "left-out", message, pointer: formatPointer(tokens) }));
}

/** A default, null or an empty list means the same as no value. */
function differsFromAbsent(kind: ResourceKind, tokens: Tokens, value: JsonValue): boolean {
  return Object.keys(kind.comparable({ [tokens.at(-1) ?? ""]: value })).length > 0;
}

/** Matches in a refusal: `filters.0: Unrecognized key(s) in object: 'extra', 'other'`. At the top level, the path is absent. */
const UNKNOWN = /(?:^|[;:] )(?:([\w$-]+(?:\.[\w$-]+)*): )?Unrecognized key\(s\) in object: ('[^']*'(?:, '[^']*')*)/g;

export function readUnknownMembers(message: string): readonly Tokens[] {
  return [...message.matchAll(UNKNOWN)].flatMap(([, path = "", members = ""]) =>
    members
      .slice(1, -1)
      .split("', '")
      .map((member) => [...path.split(".").filter((token) => token !== ""), member]),
  );
}

/** The client of a library caller may give no status. */
export function isBodyRefusal(error: unknown): error is StackError {
  if (!(error instanceof StackError) || error.code !== "rejected") return false;
  const { status, applied } = error.failure;
  return applied === "no" && (status === undefined || status === 400 || status === 422);
}

function typeAround(body: JsonObject, tokens: Tokens): string {
  const holders = tokens.map((_, length) => valueAtTokens(body, tokens.slice(0, length)));
  return holders
    .flatMap((value) => (value !== undefined && isJsonObject(value) ? TYPE_MEMBERS.map((name) => value[name]) : []))
    .filter((value) => typeof value === "string")
    .join(" ");
}

export const CORRECT_REFUSED = "correct this in the file, or on the stack that the archive is from, then run again";

/** Names the child whose number is in a path of the server (`tiles.0.w`). */
export function placeForPeople({ children }: ResourceKind, body: JsonObject, path: string): string {
  const [member = "", index = "", ...inside] = path.split(".");
  const ofMember = children.find((candidate) => candidate.member === member);
  const child = objectsIn(body[member])[Number(index)];
  if (ofMember === undefined || child === undefined) return path;
  const name = ofMember.nameOf(child);
  const noun = nounOf(ofMember.space);
  const childLabel = name === "" ? `${noun} ${Number(index) + 1}` : `${noun} "${name}"`;
  return inside.length === 0 ? childLabel : `${childLabel}: ${inside.join(".")}`;
}

/** Matches a path to a child, before the server's fault: `tiles.0.name: Required`. */
const PATH_TO_CHILD = /\b[A-Za-z]\w*\.\d+(?:\.[\w$-]+)*(?=: )/g;

export function refusalForPeople(kind: ResourceKind, body: JsonObject, refusal: StackError): StackError {
  const { code, message, hint = CORRECT_REFUSED, failure } = refusal;
  const readable = message.replaceAll(PATH_TO_CHILD, (path) => placeForPeople(kind, body, path));
  return new StackError(code, readable, { ...failure, hint });
}
