import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";

// This file shares no code with the importer and its client, because a mistake in shared code would stay hidden.

export type PlainRecord = Readonly<Record<string, unknown>>;
export type NamesById = ReadonlyMap<string, string>;

/** The records that a stack returns to plain HTTP requests. */
export type StackContent = Readonly<Record<MovedKind | "sources" | "webhooks", readonly PlainRecord[]>>;

/** The kinds that a move creates on the new stack. */
export type MovedKind = "dashboards" | "saved-searches" | "alerts";

/** A statement that must be true after a move, and the evidence against it. */
export type Finding = readonly [what: string, against: readonly string[]];

/** Reads a sandbox over HTTP. A managed stack cannot list webhooks, so they are read from the sandbox's memory. */
export async function readStackContent(sandbox: Sandbox): Promise<StackContent> {
  const managed = sandbox.variant === "managed";
  const list = (kind: string): Promise<PlainRecord[]> => readList(sandbox, kind);
  const [dashboards, alerts, sources] = [await list("dashboards"), await list("alerts"), await list("sources")];
  return {
    dashboards,
    "saved-searches": await list("saved-searches"),
    alerts: alerts.map(withChannels),
    sources,
    webhooks: managed ? sandbox.webhooks : await list("webhooks"),
  };
}

/** Converts an alert of a managed stack, which has one channel, to the list of channels that a self-hosted stack returns. */
function withChannels({ channel, ...alert }: PlainRecord): PlainRecord {
  return { channels: [channel], ...alert };
}

async function readList(sandbox: Sandbox, kind: string): Promise<PlainRecord[]> {
  const managed = sandbox.variant === "managed";
  const headers = { authorization: authorizationOf(sandbox) };
  const response = await fetch(`${sandbox.stack}/${managed ? "obsstack" : "api/v2"}/${kind}`, { headers });
  if (!response.ok) throw new Error(`GET ${kind}: status ${response.status}`);
  return itemsOf(await response.json(), managed ? "result" : "data");
}

function authorizationOf({ variant, apiKey, keyId, keySecret }: Sandbox): string {
  return variant === "managed" ? `Basic ${btoa(`${keyId}:${keySecret}`)}` : `Bearer ${apiKey}`;
}

/** Compares the contents of two stacks after all records were moved from the first to the second. */
export function checkMove(source: StackContent, target: StackContent): Finding[] {
  const { dashboards, alerts, "saved-searches": searches } = source;
  const [before, after, text] = [namesInContent(source), namesInContent(target), JSON.stringify(target)];
  const compare = (kind: MovedKind): string[] =>
    differences(referencesIn(source[kind], before), referencesIn(target[kind], after));
  return [
    [`all ${dashboards.length} dashboards exist, and reference records of the same names`, compare("dashboards")],
    [`all ${searches.length} saved searches exist, and search sources of the same names`, compare("saved-searches")],
    [
      `all ${alerts.length} alerts exist, on tiles and saved searches and with webhooks of the same names`,
      compare("alerts"),
    ],
    ["no id of the old stack is left in the new one", [...before.keys()].filter((id) => text.includes(id))],
  ];
}

/** Returns the name of every record, tile and filter, by its id, and of every connection that a source uses. */
function namesInContent(content: StackContent): NamesById {
  const connections = content.sources.map(({ connection, from }) => ({ id: connection, name: JSON.stringify(from) }));
  return namesOf([...connections, ...Object.values(content).flat()]);
}

function namesOf(records: readonly PlainRecord[]): NamesById {
  const parts = records.flatMap((record) => [...itemsOf(record, "tiles"), ...itemsOf(record, "filters")]);
  const withIds = [...records, ...parts].filter(({ id }) => typeof id === "string");
  return new Map(withIds.map((item) => [String(item["id"]), nameOf(item)]));
}

/**
 * Lists every text that contains a known id, even a record's own id. A line has the record, the member, and the text with names in
 * place of ids.
 */
function referencesIn(value: unknown, names: NamesById, at = ""): string[] {
  if (typeof value === "string") {
    const textWithNames = value.replaceAll(/[\da-f-]{24,36}/g, (id) => names.get(id) ?? id);
    return textWithNames === value ? [] : [`${at}: ${textWithNames}`];
  }
  if (Array.isArray(value))
    return value.flatMap((entry: unknown) => referencesIn(entry, names, `${at}/${nameOf(entry)}`));
  return Object.entries(isPlainRecord(value) ? value : {}).flatMap(([key, member]) =>
    referencesIn(member, names, `${at}/${key}`),
  );
}

/** Lists the lines that only one side has, or that one side has more often than the other. */
function differences(expected: readonly string[], actual: readonly string[]): string[] {
  const surplus = [...actual];
  const missing = expected.filter(
    (line) => !surplus.includes(line) || surplus.splice(surplus.indexOf(line), 1).length === 0,
  );
  return [...missing.map((line) => `missing: ${line}`), ...surplus.map((line) => `not expected: ${line}`)];
}

const nameOf = (value: unknown): string =>
  isPlainRecord(value) && typeof value["name"] === "string" ? value["name"] : "";

function itemsOf(value: unknown, member: string): PlainRecord[] {
  const list = isPlainRecord(value) ? value[member] : undefined;
  return Array.isArray(list) ? list.filter(isPlainRecord) : [];
}

function isPlainRecord(value: unknown): value is PlainRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** All kinds, in an order in which their records can be deleted: each kind comes before the kinds that it references. */
const KINDS = ["alerts", "dashboards", "saved-searches", "webhooks", "sources", "connections"];

/** Everything that a self-hosted stack returns, by kind. */
export type WholeStack = ReadonlyMap<string, readonly PlainRecord[]>;

/** Members that the server sets itself. */
const SERVER_OWNED = new Set(["id", "teamId", "createdAt", "updatedAt", "state"]);

export async function readWholeStack(sandbox: Sandbox): Promise<WholeStack> {
  const lists = await Promise.all(KINDS.map(async (kind) => [kind, await readList(sandbox, kind)] as const));
  return new Map(lists);
}

/** Compares a stack with its rebuilt copy: each record must exist once, and no id may be the same. */
export function checkRebuild(before: WholeStack, after: WholeStack): Finding[] {
  const [were, are, text] = [
    namesOf([...before.values()].flat()),
    namesOf([...after.values()].flat()),
    JSON.stringify([...after]),
  ];
  return [
    ...KINDS.toReversed().map((kind): Finding => {
      const records = before.get(kind) ?? [];
      const mismatches = differences(linesOf(records, were), linesOf(after.get(kind) ?? [], are));
      return [`${records.length} ${kind.replace("-", " ")}: each exists once, with all its references`, mismatches];
    }),
    ["no old id is left", [...were.keys()].filter((id) => text.includes(id))],
  ];
}

/** Writes each record as one line: its members in order, with ids replaced by the names of their records. */
function linesOf(records: readonly PlainRecord[], names: NamesById): string[] {
  return records.map((record) => {
    const members = Object.entries(record).filter(([member]) => !SERVER_OWNED.has(member));
    return JSON.stringify(plain(Object.fromEntries(members), names));
  });
}

function plain(value: unknown, names: NamesById): unknown {
  if (typeof value === "string") return value.replaceAll(/[\da-f]{24}/g, (id) => names.get(id) ?? id);
  if (Array.isArray(value)) return value.map((entry: unknown) => plain(entry, names));
  if (!isPlainRecord(value)) return value;
  // A null member means the same as an absent one.
  const members = Object.entries(value).filter(([, content]) => content !== null);
  const sorted = members.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([member, content]) => [member, plain(content, names)]));
}
