import type { JsonObject } from "../../core/json.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { printableText } from "../../core/text/printable.ts";
import { placeholderSpans } from "../placeholders.ts";
import { isAddress, withoutServerOwned } from "./context.ts";

/** A place from which a secret is sent to a server: an address, or a header. */
export type ExposedPlace = "url" | "header";

/** The text around a placeholder, for output. `line` is printable, and begins with the hosts of the surrounding address. */
export interface Surroundings {
  readonly line: string;
  readonly hosts: readonly string[];
  readonly within: readonly ExposedPlace[];
}

/** Maximum number of characters that are printed before and behind a placeholder. */
const BEFORE = 60;
const BEHIND = 40;

/**
 * Number of characters before a placeholder that are searched for the beginning of an address. A longer word before the
 * placeholder counts as an address.
 */
const LOOK_BACK = 65_536;
/** Maximum number of placeholders that are described per text. */
const MAX_PLACEHOLDERS = 100;
/** Maximum number of hosts that are printed per address. */
const MAX_HOSTS = 3;
const MAX_HOST_LENGTH = 80;

/**
 * Describes the surroundings of each placeholder of a text, in order. One entry stands for all placeholders after the
 * first `MAX_PLACEHOLDERS`.
 * @param tokens the path to the text in its record
 */
export function findSurroundings(text: string, tokens: readonly string[]): Surroundings[] {
  const header = tokens.some((token) => /header/i.test(token));
  const surroundings: Surroundings[] = [];
  let unexaminedCount = 0;
  for (const { start, end } of placeholderSpans(text)) {
    if (surroundings.length === MAX_PLACEHOLDERS) unexaminedCount += 1;
    else surroundings.push(surroundingsAt(text, start, end, header));
  }
  // The other placeholders were not examined. The worst case is assumed: an address contains them.
  return unexaminedCount === 0
    ? surroundings
    : [...surroundings, { line: `and ${unexaminedCount} more`, hosts: [], within: ["url"] }];
}

function surroundingsAt(text: string, start: number, end: number, header: boolean): Surroundings {
  const { hosts, address } = addressAround(text, start);
  const line = lineAround(text, start, end);
  const hostPrefix = hosts.length === 0 ? "" : `${hosts.join(", ")}: `;
  const within = [address && ("url" as const), header && ("header" as const)];
  return {
    line: printableText(`${hostPrefix}${line}`),
    hosts,
    within: within.filter((part) => part !== false),
  };
}

/**
 * Describes the top-level members that are addresses: the member's name, and the address or, if the address is long,
 * its hosts and beginning. The server's own members are left out.
 */
export function listTopLevelAddresses(kind: ResourceKind, body: JsonObject): string[] {
  return Object.entries(withoutServerOwned(kind, body)).flatMap(([member, value]) => {
    if (typeof value !== "string" || !isAddress(value)) return [];
    const text =
      value.length > BEFORE ? `${hostsIn(value, value.length).join(", ")}: ${value.slice(0, BEFORE)}…` : value;
    return [printableText(`${member} ${text}`)];
  });
}

function lineAround(text: string, start: number, end: number): string {
  const [textBefore = ""] = text
    .slice(Math.max(0, start - BEFORE), start)
    .split(/[\r\n]/)
    .slice(-1);
  const [textBehind = ""] = text.slice(end, end + BEHIND).split(/[\r\n]/);
  const isCut = {
    before: textBefore.length === BEFORE && start > BEFORE,
    behind: textBehind.length === BEHIND,
  };
  return `${isCut.before ? "…" : ""}${textBefore}${text.slice(start, end)}${textBehind}${isCut.behind ? "…" : ""}`;
}

/** Tells whether a position is in an address, and lists the hosts of the addresses in the word, tag or link around the position. */
function addressAround(text: string, position: number) {
  const from = Math.max(0, position - LOOK_BACK);
  const textBefore = text.slice(from, position);
  const tag = opened(textBefore, "<", ">");
  const link = opened(textBefore, "](", ")");
  const word = startOfLast(textBefore, /[\s"'`<>]/);
  const start = Math.min(word, tag ?? word, link ?? word);
  const part = textBefore.slice(start);
  const isEndless = start === 0 && from > 0;
  const hosts = hostsIn(
    part + (/^[^\s"'`<>()]*/.exec(text.slice(position, position + MAX_HOST_LENGTH))?.[0] ?? ""),
    part.length,
  );
  const isTag = tag !== undefined && /^<[a-z]/i.test(textBefore.slice(tag));
  return {
    address:
      isEndless || hosts.length > 0 || link !== undefined || isTag || SCHEME.test(part.slice(startOfLast(part, /\s/))),
    hosts,
  };
}

/** Matches schemes that need no `//`, or that browsers accept without `//`. */
const SCHEME = /(?:https?|ftp|wss?|mailto|data|javascript):/i;

/** Returns the position of the last `opener` in the text; undefined if there is none, or if a `closer` follows. */
function opened(text: string, opener: string, closer: string): number | undefined {
  const position = text.lastIndexOf(opener);
  return position < 0 || text.indexOf(closer, position + opener.length) >= 0 ? undefined : position;
}

/** Returns the position behind the last separator, or 0 if the text has no separator. */
function startOfLast(text: string, separator: RegExp): number {
  let start = text.length;
  while (start > 0 && !separator.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Lists at most `MAX_HOSTS` hosts of the addresses that begin before `endPosition`. A `\` counts as `/`, as in browsers. */
function hostsIn(text: string, endPosition: number): string[] {
  const hosts = new Set<string>();
  for (const match of text.matchAll(/(?<![\\/])[\\/]{2,}(?:[^\s\\/?#@]*@)?([^\s\\/?#"'<>`]+)/g)) {
    if (match.index < endPosition && hosts.size < MAX_HOSTS) hosts.add((match[1] ?? "").slice(0, MAX_HOST_LENGTH));
  }
  return [...hosts];
}
