import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import type { Finding, Item, Names } from "./independent-check.ts";
import { authorizationOf, differences, isItem, itemsOf, nameOf, readList } from "./independent-check.ts";

// Shares no code with the importer and its client; independent-check.ts gives the reason.

/** In order of deletion: each kind comes before the kinds that it refers to. */
const KINDS = ["alerts", "dashboards", "saved-searches", "webhooks", "sources", "connections"];

/** Everything that a self-hosted stack returns, by kind. */
export type WholeStack = ReadonlyMap<string, readonly Item[]>;

/** Members that the server sets itself. */
const SERVER_OWNED = new Set(["id", "teamId", "createdAt", "updatedAt", "state"]);

/** Reads all kinds of a self-hosted sandbox over HTTP. */
export async function readWholeStack(sandbox: Sandbox): Promise<WholeStack> {
  const lists = await Promise.all(KINDS.map(async (kind) => [kind, await readList(sandbox, kind)] as const));
  return new Map(lists);
}

/** Deletes everything that a self-hosted sandbox has. */
export async function wipe(sandbox: Sandbox): Promise<void> {
  const headers = { authorization: authorizationOf(sandbox) };
  for (const kind of KINDS) {
    for (const { id } of await readList(sandbox, kind)) {
      const response = await fetch(`${sandbox.stack}/api/v2/${kind}/${String(id)}`, { method: "DELETE", headers });
      if (!response.ok) throw new Error(`DELETE ${kind}: status ${response.status}`);
    }
  }
}

/** Compares a stack with its rebuilt copy: each record must exist once, and no id may be the same. */
export function checkRebuild(before: WholeStack, after: WholeStack): Finding[] {
  const [were, are, text] = [namesOf(before), namesOf(after), JSON.stringify([...after])];
  return [
    ...KINDS.toReversed().map((kind): Finding => {
      const records = before.get(kind) ?? [];
      const mismatches = differences(linesOf(records, were), linesOf(after.get(kind) ?? [], are));
      return [`${records.length} ${kind.replace("-", " ")}: each exists once, with all its references`, mismatches];
    }),
    ["no old id is left", [...were.keys()].filter((id) => text.includes(id))],
  ];
}

function namesOf(stack: WholeStack): Names {
  const records = [...stack.values()].flat();
  const children = records.flatMap((record) => [...itemsOf(record, "tiles"), ...itemsOf(record, "filters")]);
  return new Map([...records, ...children].map((item) => [String(item["id"]), nameOf(item)]));
}

/** Each record as one line: its members in order, with ids replaced by the names of their records. */
function linesOf(records: readonly Item[], names: Names): string[] {
  return records.map((record) => {
    const members = Object.entries(record).filter(([member]) => !SERVER_OWNED.has(member));
    return JSON.stringify(plain(Object.fromEntries(members), names));
  });
}

function plain(value: unknown, names: Names): unknown {
  if (typeof value === "string") return value.replaceAll(/[\da-f]{24}/g, (id) => names.get(id) ?? id);
  if (Array.isArray(value)) return value.map((entry: unknown) => plain(entry, names));
  if (!isItem(value)) return value;
  // A null member means the same as an absent one.
  const members = Object.entries(value).filter(([, content]) => content !== null);
  const sorted = members.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([member, content]) => [member, plain(content, names)]));
}
