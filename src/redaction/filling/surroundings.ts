import type { JsonObject } from "../../core/json.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { printable } from "../../core/text/printable.ts";
import { placeholderSpans } from "../placeholders.ts";
import { isAddress, ownMembers } from "./context.ts";

/** The part of a record around a placeholder that decides who can see the supplied secret. */
export type Within = "url" | "header" | "image";

/** The text around a placeholder, made safe to print: one line, with the hosts of the surrounding address in front. */
export interface Surroundings {
  readonly line: string;
  readonly hosts: readonly string[];
  readonly within: readonly Within[];
}

/** Characters of the line that are printed before and after the placeholder. */
const BEFORE = 60;
const BEHIND = 40;

/** Characters before the placeholder that are searched for the start of an address. Anything longer counts as an address. */
const LOOK_BACK = 65_536;
/** Placeholders described per text. */
const MAX_PLACEHOLDERS = 100;
/** Hosts printed per address. */
const MAX_HOSTS = 3;
const MAX_HOST_LENGTH = 80;

/** Describes the surroundings of each placeholder of a text, in order. @param tokens the path to the text in its record */
export function surroundingsOf(text: string, tokens: readonly string[]): Surroundings[] {
  const header = tokens.some((token) => /header/i.test(token));
  const surroundings: Surroundings[] = [];
  let unexaminedCount = 0;
  for (const { start, end } of placeholderSpans(text)) {
    if (surroundings.length === MAX_PLACEHOLDERS) unexaminedCount += 1;
    else surroundings.push(surroundingsAt(text, start, end, header));
  }
  // The remaining placeholders were not examined, so the worst case is assumed.
  return unexaminedCount === 0
    ? surroundings
    : [...surroundings, { line: `and ${unexaminedCount} more`, hosts: [], within: ["url", "image"] }];
}

function surroundingsAt(text: string, start: number, end: number, header: boolean): Surroundings {
  const { hosts, address, image } = addressAround(text, start);
  const line = lineAround(text, start, end);
  const hostPrefix = hosts.length === 0 ? "" : `${hosts.join(", ")}: `;
  const within = [address && ("url" as const), header && ("header" as const), image && ("image" as const)];
  return { line: printable(`${hostPrefix}${line}`), hosts, within: within.filter((part) => part !== false) };
}

/** The addresses in the top-level members of a record: its secrets are sent to them. */
export function shownAddresses(kind: ResourceKind, body: JsonObject): string[] {
  return Object.entries(ownMembers(kind, body)).flatMap(([member, value]) => {
    if (typeof value !== "string" || !isAddress(value)) return [];
    const text =
      value.length > BEFORE ? `${hostsIn(value, value.length).join(", ")}: ${value.slice(0, BEFORE)}…` : value;
    return [printable(`${member} ${text}`)];
  });
}

function lineAround(text: string, start: number, end: number): string {
  const [textBefore = ""] = text
    .slice(Math.max(0, start - BEFORE), start)
    .split(/[\r\n]/)
    .slice(-1);
  const [textBehind = ""] = text.slice(end, end + BEHIND).split(/[\r\n]/);
  const isCut = { before: textBefore.length === BEFORE && start > BEFORE, behind: textBehind.length === BEHIND };
  return `${isCut.before ? "…" : ""}${textBefore}${text.slice(start, end)}${textBehind}${isCut.behind ? "…" : ""}`;
}

interface Address {
  readonly address: boolean;
  readonly image: boolean;
  readonly hosts: readonly string[];
}

/** The address that contains the position. One text can contain several addresses in a row, so all of their hosts are listed. */
function addressAround(text: string, position: number): Address {
  const from = Math.max(0, position - LOOK_BACK);
  const textBefore = text.slice(from, position);
  const tag = opened(textBefore, "<", ">");
  const link = opened(textBefore, "](", ")");
  const word = wordStart(textBefore);
  const start = Math.min(word, tag ?? word, link ?? word);
  const part = textBefore.slice(start);
  const isEndless = start === 0 && from > 0;
  const hosts = hostsIn(
    part + (/^[^\s"'`<>()]*/.exec(text.slice(position, position + MAX_HOST_LENGTH))?.[0] ?? ""),
    part.length,
  );
  const isTag = tag !== undefined && /^<[a-z]/i.test(textBefore.slice(tag));
  const image =
    (link !== undefined && isImageLink(textBefore, link)) || (isTag && /^<(?:img|image|video|source)/i.test(part));
  return {
    address: isEndless || hosts.length > 0 || link !== undefined || isTag || SCHEME.test(lastWord(part)),
    image,
    hosts,
  };
}

/** Schemes that need no `//`, or that browsers accept without it. */
const SCHEME = /(?:https?|ftp|wss?|mailto|data|javascript):/i;

function lastWord(text: string): string {
  let start = text.length;
  while (start > 0 && !/\s/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start);
}

/** The position of the last `opener` in the text that no `closer` follows. */
function opened(text: string, opener: string, closer: string): number | undefined {
  const position = text.lastIndexOf(opener);
  return position < 0 || text.indexOf(closer, position + opener.length) >= 0 ? undefined : position;
}

function wordStart(text: string): number {
  let start = text.length;
  while (start > 0 && !/[\s"'`<>]/.test(text[start - 1] ?? "")) start -= 1;
  return start;
}

/** Tells whether a link is an image, `![…](`: a `!` stands before the bracket of its text. */
function isImageLink(text: string, link: number): boolean {
  const bracket = text.lastIndexOf("[", link);
  return bracket > 0 && text[bracket - 1] === "!";
}

/** The hosts of the addresses that begin before `endPosition`. Browsers treat `\` as `/`. */
function hostsIn(text: string, endPosition: number): string[] {
  const hosts = new Set<string>();
  for (const match of text.matchAll(/(?<![\\/])[\\/]{2,}(?:[^\s\\/?#@]*@)?([^\s\\/?#"'<>`]+)/g)) {
    if (match.index < endPosition && hosts.size < MAX_HOSTS) hosts.add((match[1] ?? "").slice(0, MAX_HOST_LENGTH));
  }
  return [...hosts];
}
