import type { MemberPath } from "../../core/records/member-path.ts";
import type { ReferencePath } from "../../core/resource-kind.ts";
import { nounOf } from "../../kinds/names.ts";

/** The member that holds a reference, or an array of them. */
export interface ReferenceMember {
  /** Path of the object with the member; empty for the record itself. */
  readonly holderPath: MemberPath;
  /** Path of the member, without the `[]` of an array. */
  readonly memberPath: MemberPath;
  readonly member: string;
  /** The member's name in files, where it holds a name: `sourceId` → `source`. */
  readonly written: string;
}

const membersByPath = new Map<ReferencePath, ReferenceMember>();

/** Describes where a kind holds a reference, and its member's name in files. */
export function referenceMember(path: ReferencePath): ReferenceMember {
  const found = membersByPath.get(path) ?? describe(path);
  membersByPath.set(path, found);
  return found;
}

function describe({ path, to }: ReferencePath): ReferenceMember {
  const memberPath = path.replace(/\[\]$/, "");
  const at = memberPath.lastIndexOf(".");
  const member = memberPath.slice(at + 1);
  const written = member === "id" ? camelCase(nounOf(to)) : member.replace(/Id(s?)$/, "$1");
  return { holderPath: memberPath.slice(0, Math.max(at, 0)), memberPath, member, written };
}

function camelCase(noun: string): string {
  return noun.replaceAll(/ ([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
