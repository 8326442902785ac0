import { isObject, memberAt } from "./compare.ts";
import { isEcho, isTriedOn, type FullRule, type Json, type JsonObject, type StackName } from "./rule.ts";

/** A body that a create accepts. */
export interface ValidBody {
  readonly kind: string;
  readonly body: JsonObject;
}

/** A valid body in which one member has another value. */
export interface Mutation {
  readonly of: ValidBody;
  readonly path: readonly string[];
  /** The new value; undefined for a member that is left out. */
  readonly value: Json | undefined;
  readonly body: JsonObject;
}

/** What each member is replaced by. */
const VALUES: readonly (Json | undefined)[] = [
  undefined,
  null,
  "",
  "odd text",
  "promql",
  "0123456789abcdef01234567",
  "x".repeat(10_001),
  0,
  1.5,
  -1,
  100_000,
  true,
  [],
  [""],
  {},
];

/** Longer bodies try limits of lists and texts. They have no member that the others lack. */
const MAX_LENGTH = 4000;
const CREATE = /^POST (dashboards|alerts|sources|webhooks|saved-searches|connections)$/;

/** Returns bodies of creates that together have every member of all rules. Each body adds a member. */
export function validBodies(rules: readonly FullRule[], stack: StackName): ValidBody[] {
  const bodies = rules.filter((rule) => isTriedOn(rule, stack) && isAccepted(rule)).flatMap(bodyOf);
  const candidates = bodies.toSorted((one, other) => membersOf(other).size - membersOf(one).size);
  const covered = new Set<string>();
  return candidates.filter((each) => {
    const added = [...membersOf(each)].filter((member) => !covered.has(member));
    for (const member of added) covered.add(member);
    return added.length > 0;
  });
}

function isAccepted({ refused, status, given }: FullRule): boolean {
  return refused === undefined && status === undefined && given === undefined;
}

function bodyOf({ request, body }: FullRule): ValidBody[] {
  const kind = CREATE.exec(request)?.[1];
  if (kind === undefined || body === undefined || isEcho(body) || !isObject(body)) return [];
  // The server makes the id, whatever a body has in its place.
  const { id: _id, ...members } = body;
  return JSON.stringify(body).length > MAX_LENGTH ? [] : [{ kind, body: members }];
}

function membersOf({ kind, body }: ValidBody): ReadonlySet<string> {
  return new Set(pathsIn(body).map((path) => placeOf(kind, body, path)));
}

/** Returns the mutations of a body: each member, at every depth, with each of the values. */
export function mutationsOf(of: ValidBody): Mutation[] {
  return pathsIn(of.body).flatMap((path) => {
    const present = JSON.stringify(memberAt(of.body, path.join(".")));
    const values = VALUES.filter((value) => JSON.stringify(value) !== present);
    return values.map((value) => ({ of, path, value, body: replaced(of.body, path, value) as JsonObject }));
  });
}

/** Returns the paths of all members and items of a value. */
export function pathsIn(value: Json | undefined, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) => {
    const own = [...path, member];
    return [own, ...pathsIn(inner, own)];
  });
}

function replaced(value: Json, [member = "", ...rest]: readonly string[], content: Json | undefined): Json {
  if (Array.isArray(value)) {
    const items = value.map((item: Json, index) => (String(index) === member ? inner(item, rest, content) : item));
    return items.filter((item): item is Json => item !== undefined);
  }
  const members = value as JsonObject;
  return { ...members, [member]: inner(members[member] ?? null, rest, content) };
}

function inner(value: Json, rest: readonly string[], content: Json | undefined): Json | undefined {
  return rest.length === 0 ? content : replaced(value, rest, content);
}

/** Members that decide which other members an object has. */
const DECIDING = ["kind", "configType", "displayType", "type", "mode", "service", "source", "operator", "aggFn"];

/** Returns the place of a member in all bodies: `tiles.*.config<line>.select`. */
export function placeOf(kind: string, body: Json, path: readonly string[]): string {
  const words = path.map((member, index) => {
    const holder = memberAt(body, path.slice(0, index).join("."));
    if (Array.isArray(holder)) return "*";
    const deciding = isObject(holder) ? DECIDING.filter((name) => name !== member).map((name) => holder[name]) : [];
    const own = deciding.filter((word) => typeof word === "string").join(" ");
    return own === "" ? member : `<${own}>${member}`;
  });
  return [kind, ...words].join(".");
}
