import { getOrMake } from "../../core/collections.ts";
import type { MemberPath } from "../../core/records/member-path.ts";
import type { ReferencePath } from "../../core/resource-kind.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { ID_PATTERN } from "../../core/records/record.ts";

export interface ReferenceMember {
  /** Path of the object with the member; empty for the record itself. */
  readonly holderPath: MemberPath;
  /** Path of the member, without the `[]` of an array. */
  readonly memberPath: MemberPath;
  readonly member: string;
  /** The member's name in files: `sourceId` → `source`, because in files the member holds a name, not an id. */
  readonly memberInFiles: string;
}

const membersByPath = new Map<ReferencePath, ReferenceMember>();

export function referenceMember(path: ReferencePath): ReferenceMember {
  return getOrMake(membersByPath, path, () => describe(path));
}

function describe({ path, to }: ReferencePath): ReferenceMember {
  const memberPath = path.replace(/\[\]$/, "");
  const lastDot = memberPath.lastIndexOf(".");
  const member = memberPath.slice(lastDot + 1);
  const memberInFiles = member === "id" ? camelCase(nounOf(to)) : member.replace(/Id(s?)$/, "$1");
  return { holderPath: memberPath.slice(0, Math.max(lastDot, 0)), memberPath, member, memberInFiles };
}

function camelCase(noun: string): string {
  return noun.replaceAll(/ ([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Placeholder in a file's text for the id of another record: `${stackferry:dashboards/Checkout latency}`. */
const MENTION = /\$\{stackferry:([^}]*)\}/g;
const OPENING = "${stackferry:";
/** Replaces the opening of a mention in a stack's own text, so that the text is not taken for a mention. */
const LITERAL = `${OPENING}=}`;

/** Replaces each id for which `name` returns a label by a mention of that label. */
export function replaceIdsByMentions(text: string, name: (id: string) => string | undefined): string {
  const literal = text.includes(OPENING) ? text.replaceAll(OPENING, LITERAL) : text;
  return literal.replaceAll(ID_PATTERN, (id) => {
    const label = name(id.toLowerCase());
    return label === undefined ? id : `${OPENING}${label.replaceAll(/[%}\p{Cc}\p{Cs}]/gu, encodeURIComponentSafely)}}`;
  });
}

/** Replaces each mention in a text by the id that `find` returns. A mention stays if `find` returns undefined. */
export function replaceMentionsByIds(text: string, find: (label: string) => string | undefined): string {
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
