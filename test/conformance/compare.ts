import { ABSENT, ANY, type Expected, type Json } from "./rule.ts";

type Differences = Readonly<Record<string, Json | typeof ABSENT>>;

/** Values that servers add to a record for members that were not sent. */
const ADDED: Readonly<Record<string, readonly Json[]>> = {
  tags: [[]],
  filters: [[]],
  savedFilterValues: [[]],
  savedQuery: [null],
  savedQueryLanguage: [null],
  valueExpression: [""],
  select: [""],
  where: [""],
  orderBy: [""],
  whereLanguage: ["lucene"],
  asRatio: [false],
  fillNulls: [true],
  name: [null],
  message: [null],
  note: [null],
  numConsecutiveWindows: [null],
  state: ["OK"],
  disabled: [false],
  querySettings: [[]],
  highlightedTraceAttributeExpressions: [[]],
  highlightedRowAttributeExpressions: [[]],
  materializedViews: [[]],
  durationPrecision: [3],
};

/** Members that the server sets. */
const SERVER_OWNED = /^(?:id|teamId|createdAt|updatedAt|(?:tiles|filters)\.\d+\.id)$/;
/** Members that no response contains. */
const WRITE_ONLY = /^(?:password|headers|queryParams)$/;

/** Returns the members in which the response to an accepted write is neither what was sent nor a default. */
export function differencesOf(sent: Json, answered: Json): Differences {
  const found: Record<string, Json | typeof ABSENT> = {};
  compare(sent, answered, "", found);
  for (const member of ["channel", "channels"]) if (mirrors(sent, answered, member)) delete found[member];
  return found;
}

function compare(
  sent: Json | undefined,
  answered: Json | undefined,
  path: string,
  found: Record<string, unknown>,
): void {
  if (SERVER_OWNED.test(path) || (WRITE_ONLY.test(path) && answered === undefined)) return;
  if (Array.isArray(sent) && Array.isArray(answered) && sent.length === answered.length) {
    for (const [index, item] of sent.entries()) compare(item, answered[index], under(path, index), found);
  } else if (isObject(sent) && isObject(answered)) {
    for (const member of new Set([...Object.keys(sent), ...Object.keys(answered)]))
      compare(sent[member], answered[member], under(path, member), found);
  } else if (!isSame(sent, answered) && !isAdded(sent, answered, path)) {
    found[path] = answered === undefined ? ABSENT : answered;
  }
}

function isAdded(sent: Json | undefined, answered: Json | undefined, path: string): boolean {
  const member = path.split(".").at(-1) ?? "";
  return sent === undefined && (ADDED[member] ?? []).some((added) => isSame(added, answered));
}

/** Returns whether the differing member only repeats the alert's channels in the other form: responses contain both forms. */
function mirrors(sent: Json, answered: Json, member: string): boolean {
  if (!isObject(sent) || !isObject(answered) || sent[member] !== undefined) return false;
  const { channel, channels } = answered;
  if (!Array.isArray(channels) || !isSame(channel, channels[0])) return false;
  return member === "channel" || channels.length === 1;
}

/**
 * Returns what is wrong with a response: expected members with another value, and differences from the request that no
 * expected member covers.
 */
export function wrongMembers(
  expected: Readonly<Record<string, Expected>>,
  answered: Json,
  differences: Differences = {},
): string[] {
  const wrong = Object.entries(expected).flatMap(([path, value]) => {
    const found = memberAt(answered, path);
    if (value === ANY ? found !== undefined : isSame(value === ABSENT ? undefined : value, found)) return [];
    return [`${path} is ${textOf(found)}, not ${textOf(value)}`];
  });
  const stated = Object.keys(expected);
  const unstated = Object.entries(differences)
    .filter(([path]) => !stated.some((each) => each === path || each.startsWith(`${path}.`)))
    .map(([path, found]) => `${path} is ${textOf(found)}, which is neither what was sent nor a default`);
  return [...wrong, ...unstated];
}

export function memberAt(value: Json | undefined, path: string): Json | undefined {
  if (path === "") return value;
  return path.split(".").reduce<Json | undefined>((inner, member) => {
    if (Array.isArray(inner)) return member === "length" ? inner.length : inner[Number(member)];
    return isObject(inner) ? inner[member] : undefined;
  }, value);
}

export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => sorted(item) ?? null);
  if (!isObject(value)) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([member, inner]) => [member, sorted(inner)]));
}

export function isObject(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function under(path: string, member: string | number): string {
  return path === "" ? String(member) : `${path}.${member}`;
}

function textOf(value: unknown): string {
  if (value === ABSENT || value === undefined) return "absent";
  if (value === ANY) return "anything";
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
