import { ID_TOKEN } from "../../core/records/record.ts";

/** Placeholder in a file's text for the id of another record: `${stackferry:dashboards/Checkout latency}`. */
const MENTION = /\$\{stackferry:([^}]*)\}/g;
const OPENING = "${stackferry:";
/** Escaped form of the opening, for a stack's text that contains it. */
const LITERAL = `${OPENING}=}`;

/** Replaces each id that `name` knows by a mention. */
export function withMentions(text: string, name: (id: string) => string | undefined): string {
  const literal = text.includes(OPENING) ? text.replaceAll(OPENING, LITERAL) : text;
  return literal.replaceAll(ID_TOKEN, (id) => {
    const label = name(id.toLowerCase());
    return label === undefined ? id : `${OPENING}${label.replaceAll(/[%}\p{Cc}\p{Cs}]/gu, encodeURIComponentSafely)}}`;
  });
}

/** Replaces each mention by the id that `find` returns. */
export function withoutMentions(text: string, find: (label: string) => string | undefined): string {
  if (!text.includes(OPENING)) return text;
  return text.replaceAll(MENTION, (mention, label: string) =>
    label === "=" ? OPENING : (find(decode(label)) ?? mention),
  );
}

function encodeURIComponentSafely(character: string): string {
  return `%${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

function decode(label: string): string {
  return label.replaceAll(/%([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
