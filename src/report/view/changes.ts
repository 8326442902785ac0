import type { MemberChange } from "../../core/diff.ts";
import { compactJson, type JsonValue } from "../../core/json.ts";
import { parsePointer } from "../../core/records/member-path.ts";
import { printableText } from "../../core/text/printable.ts";
import { fitText } from "../../core/text/fit-width.ts";

/**
 * Maximum width of a value. A longer value is cut, and begins `LEAD` characters before its first difference. `--verbose` shows it
 * whole.
 */
const VALUE_WIDTH = 40;
const LEAD = 8;

/** How much of each change is shown. `short`: the members with cut values. `whole`: one line for each member, with whole values. */
export type ChangeDetail = "short" | "whole";

export interface ChangeLine {
  readonly mark: "+" | "-" | "~";
  readonly text: string;
}

const MARKS = { added: "+", removed: "-", changed: "~", moved: "~" } as const;

/** Makes a line for each child (`~ tile "CPU": w 6 → 12`) and for each other member. */
export function changeLines(members: readonly MemberChange[], detail: ChangeDetail): ChangeLine[] {
  const whole = detail === "whole";
  const lines: { readonly key: string; readonly line: ChangeLine }[] = [];
  for (const member of members) {
    const { key, line, inner } = describeMember(member, detail);
    const last = lines.at(-1);
    // Changes of one child share a line.
    if (!whole && inner !== undefined && last?.key === key) {
      lines[lines.length - 1] = { key, line: { ...last.line, text: `${last.line.text}, ${inner}` } };
    } else lines.push({ key, line });
  }
  return lines.map(({ line }) => ({ ...line, text: printableText(line.text) }));
}

/** Returns the child that the changed member is or belongs to, if any, and the path within it or within the record. */
function placeOf({ pointer, child }: MemberChange): { readonly childText?: string; readonly path: string } {
  const [list = "", index = "", ...path] = parsePointer(pointer);
  if (child === undefined) return { path: [list, index, ...path].filter((step) => step !== "").join(".") };
  const name = child.name === "" ? `number ${Number(index) + 1}` : `"${child.name}"`;
  return { childText: `${child.noun} ${name}`, path: path.join(".") };
}

interface DescribedMember {
  /** A key that members of the same child share. */
  readonly key: string;
  readonly line: ChangeLine;
  /** The change without the child's name; undefined if the child itself was added, removed or moved. */
  readonly inner?: string;
}

function describeMember(member: MemberChange, detail: ChangeDetail): DescribedMember {
  const { pointer, change } = member;
  const { childText, path } = placeOf(member);
  const mark = MARKS[change];
  if (childText === undefined)
    return { key: pointer, line: { mark, text: `${path}${valuesText(member, detail, ":")}` } };
  if (path === "" && change !== "changed") return { key: pointer, line: { mark, text: childText } };
  const inner = `${path}${valuesText(member, detail, "")}`;
  const key = pointer.split("/").slice(0, 3).join("/");
  return { key, line: { mark: "~", text: `${childText}: ${inner}` }, inner };
}

function valuesText(member: MemberChange, detail: ChangeDetail, colon: string): string {
  const { change, from, to, fromName, toName } = member;
  if (change === "moved") return `${colon} in another order`;
  const values = detail === "whole" ? ([textOf(from), textOf(to)] as const) : shortTexts(from, to);
  const isNameEnough = detail === "short" && fromName !== toName;
  const [before, after] = [withName(values[0], fromName, isNameEnough), withName(values[1], toName, isNameEnough)];
  if (change === "added") return `${colon} added: ${after}`;
  return change === "removed" ? `${colon} removed: ${before}` : `${colon} ${before} → ${after}`;
}

/** Describes an id by the name of the record that has it. If the name is unknown, returns the id. */
function withName(id: string, name: string | undefined, isNameEnough: boolean): string {
  if (name === undefined) return id;
  return isNameEnough ? `"${name}"` : `"${name}" (${id})`;
}

/** Cuts both values. Long texts are also cut at the start, so that their first difference is visible. */
function shortTexts(from: JsonValue | undefined, to: JsonValue | undefined): [string, string] {
  const [before, after] = [textOf(from), textOf(to)];
  let common = 0;
  while (common < before.length && before[common] === after[common]) common += 1;
  const skip = Math.max(before.length, after.length) > VALUE_WIDTH ? Math.max(0, common - LEAD) : 0;
  const cut = (text: string): string => fitText(skip === 0 ? text : `…${text.slice(skip, skip + 200)}`, VALUE_WIDTH);
  return [cut(before), cut(after)];
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? "" : printableText(compactJson(value));
}
