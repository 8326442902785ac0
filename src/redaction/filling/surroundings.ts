import type { JsonObject } from "../../core/json.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { printable } from "../../core/text/printable.ts";
import { placeholderSpans } from "../placeholders.ts";
import { isAddress, ownMembers } from "./context.ts";

/** Where a placeholder stands, as far as that decides who sees what is filled in. */
export type Within = "url" | "header" | "image";

/** What stands around a placeholder, made safe to show: one line, the hosts of the address that it is part of in front. */
export interface Surroundings {
  readonly shown: string;
  readonly hosts: readonly string[];
  readonly within: readonly Within[];
}

/** What is shown of the line, before and behind the placeholder. */
const BEFORE = 60;
const BEHIND = 40;

/** Addresses are looked for this far back. What is longer counts as an address, whatever it is. */
const LOOK_BACK = 65_536;
/** Placeholders that are looked at in one text. */
const MAX_PLACEHOLDERS = 100;
/** Hosts that are shown of one address. */
const MAX_HOSTS = 3;
const MAX_HOST_LENGTH = 80;

/** What stands around the placeholders of a text, in their order. @param tokens the way to the text inside of its record */
export function surroundingsOf(text: string, tokens: readonly string[]): Surroundings[] {
  const header = tokens.some((token) => /header/i.test(token));
  const found: Surroundings[] = [];
  let left = 0;
  for (const { start, end } of placeholderSpans(text)) {
    if (found.length === MAX_PLACEHOLDERS) left += 1;
    else found.push(surroundingsAt(text, start, end, header));
  }
  // Nobody has looked at the others, so they count as the worst.
  return left === 0 ? found : [...found, { shown: `and ${left} more`, hosts: [], within: ["url", "image"] }];
}

function surroundingsAt(text: string, start: number, end: number, header: boolean): Surroundings {
  const { hosts, address, image } = addressAround(text, start);
  const line = lineAround(text, start, end);
  const front = hosts.length === 0 ? "" : `${hosts.join(", ")}: `;
  const within = [address && ("url" as const), header && ("header" as const), image && ("image" as const)];
  return { shown: printable(`${front}${line}`), hosts, within: within.filter((each) => each !== false) };
}

/** The addresses that a record names at its top: what it is given goes there. */
export function shownAddresses(kind: ResourceKind, body: JsonObject): string[] {
  return Object.entries(ownMembers(kind, body)).flatMap(([member, value]) => {
    if (typeof value !== "string" || !isAddress(value)) return [];
    const text =
      value.length > BEFORE ? `${hostsIn(value, value.length).join(", ")}: ${value.slice(0, BEFORE)}…` : value;
    return [printable(`${member} ${text}`)];
  });
}

function lineAround(text: string, start: number, end: number): string {
  const [before = ""] = text
    .slice(Math.max(0, start - BEFORE), start)
    .split(/[\r\n]/)
    .slice(-1);
  const [behind = ""] = text.slice(end, end + BEHIND).split(/[\r\n]/);
  const cut = { before: before.length === BEFORE && start > BEFORE, behind: behind.length === BEHIND };
  return `${cut.before ? "…" : ""}${before}${text.slice(start, end)}${behind}${cut.behind ? "…" : ""}`;
}

interface Address {
  readonly address: boolean;
  readonly image: boolean;
  readonly hosts: readonly string[];
}

/** The address that the place at `at` is part of. A text can hold several in one, so all of their hosts are named. */
function addressAround(text: string, at: number): Address {
  const from = Math.max(0, at - LOOK_BACK);
  const before = text.slice(from, at);
  const tag = opened(before, "<", ">");
  const link = opened(before, "](", ")");
  const word = wordStart(before);
  const start = Math.min(word, tag ?? word, link ?? word);
  const part = before.slice(start);
  const endless = start === 0 && from > 0;
  const hosts = hostsIn(part + (/^[^\s"'`<>()]*/.exec(text.slice(at, at + MAX_HOST_LENGTH))?.[0] ?? ""), part.length);
  const isTag = tag !== undefined && /^<[a-z]/i.test(before.slice(tag));
  const image =
    (link !== undefined && isImageLink(before, link)) || (isTag && /^<(?:img|image|video|source)/i.test(part));
  return {
    address: endless || hosts.length > 0 || link !== undefined || isTag || SCHEME.test(lastWord(part)),
    image,
    hosts,
  };
}

/** Schemes that need no `//`, or that browsers take without. */
const SCHEME = /(?:https?|ftp|wss?|mailto|data|javascript):/i;

function lastWord(text: string): string {
  let start = text.length;
  while (start > 0 && !/\s/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start);
}

/** Where something was opened that is still open at the end of the text. */
function opened(text: string, open: string, close: string): number | undefined {
  const at = text.lastIndexOf(open);
  return at < 0 || text.indexOf(close, at + open.length) >= 0 ? undefined : at;
}

function wordStart(text: string): number {
  let start = text.length;
  while (start > 0 && !/[\s"'`<>]/.test(text[start - 1] ?? "")) start -= 1;
  return start;
}

/** `![…](`: the bracket of the link's text has a `!` in front. */
function isImageLink(text: string, link: number): boolean {
  const bracket = text.lastIndexOf("[", link);
  return bracket > 0 && text[bracket - 1] === "!";
}

/** The hosts of the addresses that begin in a text before `most`. Browsers take `\` for `/`. */
function hostsIn(text: string, most: number): string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(/(?<![\\/])[\\/]{2,}(?:[^\s\\/?#@]*@)?([^\s\\/?#"'<>`]+)/g)) {
    if (match.index < most && found.size < MAX_HOSTS) found.add((match[1] ?? "").slice(0, MAX_HOST_LENGTH));
  }
  return [...found];
}
