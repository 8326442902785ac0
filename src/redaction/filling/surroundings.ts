import type { JsonObject } from "../../core/json.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { printableText } from "../../core/text/printable.ts";
import { placeholderSpans } from "../placeholders.ts";
import { isAddress, withoutServerOwned } from "./context.ts";

export type ExposedPlace = "url" | "header";

/** `line` is printable, and begins with the hosts of the surrounding address, if any. */
export interface Surroundings {
  readonly line: string;
  readonly hosts: readonly string[];
  readonly within: readonly ExposedPlace[];
}

const BEFORE = 60;
const BEHIND = 40;

/** A longer word before the placeholder counts as an address. */
const LOOK_BACK = 65_536;
const MAX_PLACEHOLDERS = 100;
const MAX_HOSTS = 3;
const MAX_HOST_LENGTH = 80;

export function findSurroundings(text: string, tokens: readonly string[]): Surroundings[] {
  const header = tokens.some((token) => /header/i.test(token));
  const surroundings: Surroundings[] = [];
  let unexaminedCount = 0;
  for (const { start, end } of placeholderSpans(text)) {
    if (surroundings.length === MAX_PLACEHOLDERS) unexaminedCount += 1;
    else surroundings.push(surroundingsAt(text, start, end, header));
  }
  // The worst case is assumed for placeholders that were not examined.
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

/** These schemes need no `//`, or browsers accept them without `//`. */
const SCHEME = /(?:https?|ftp|wss?|mailto|data|javascript):/i;

function opened(text: string, opener: string, closer: string): number | undefined {
  const position = text.lastIndexOf(opener);
  return position < 0 || text.indexOf(closer, position + opener.length) >= 0 ? undefined : position;
}

function startOfLast(text: string, separator: RegExp): number {
  let start = text.length;
  while (start > 0 && !separator.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** A `\` counts as `/`, as in browsers. */
function hostsIn(text: string, endPosition: number): string[] {
  const hosts = new Set<string>();
  for (const match of text.matchAll(/(?<![\\/])[\\/]{2,}(?:[^\s\\/?#@]*@)?([^\s\\/?#"'<>`]+)/g)) {
    if (match.index < endPosition && hosts.size < MAX_HOSTS) hosts.add((match[1] ?? "").slice(0, MAX_HOST_LENGTH));
  }
  return [...hosts];
}
