import type { MemberChange } from "../../core/diff.ts";
import { compactJson, isJsonArray, type JsonValue } from "../../core/json.ts";
import { parsePointer } from "../../core/records/member-path.ts";
import { fitText } from "../../core/text/fit-width.ts";
import { spansOf, type Line, type Mark, type Words } from "../document.ts";
import { changedLines, changedWords } from "./text-changes.ts";

/** A longer text shows only its changed lines or words. */
const VALUE_WIDTH = 40;

const MARKS = { added: "+", removed: "-", changed: "~", moved: "~" } as const;

/** Without `whole`, values are cut, and short changes of one child share a line. */
export function changeLines(members: readonly MemberChange[], whole: boolean): Line[] {
  const lines: { readonly key: string; readonly line: Line }[] = [];
  for (const member of settleLists(members)) {
    const { key, line, within } = describeMember(member, whole);
    const last = lines.at(-1);
    const canShare = !whole && within !== undefined && line.inner === undefined && last?.line.inner === undefined;
    if (canShare && last?.key === key) {
      const words = [...spansOf(last.line.words), ", ", ...spansOf(within)];
      lines[lines.length - 1] = { key, line: { ...last.line, words } };
    } else lines.push({ key, line });
  }
  return lines.map(({ line }) => line);
}

/** Items of a plain list have no identity, so a changed tag reads as one removed and one added. */
function settleLists(members: readonly MemberChange[]): MemberChange[] {
  const settled = members.flatMap(itemsOfList).flatMap((member): MemberChange[] => {
    const { change, from, to, fromName, toName, pointer, child } = member;
    const isPlain = change === "changed" && isItem(member) && isScalar(from) && isScalar(to);
    if (!isPlain || from === undefined || to === undefined) return [member];
    const about = { pointer, ...(child && { child }) };
    return [
      { ...about, change: "removed", from, ...(fromName !== undefined && { fromName }) },
      { ...about, change: "added", to, ...(toName !== undefined && { toName }) },
    ];
  });
  const lists = new Set(settled.filter(isItem).map(({ pointer }) => pointer.slice(0, pointer.lastIndexOf("/"))));
  return settled.filter(({ change, pointer }) => change !== "moved" || !lists.has(pointer));
}

function itemsOfList(member: MemberChange): MemberChange[] {
  const { pointer, change, from, to } = member;
  const items =
    pointer === "/tags" && change === "added" ? to : pointer === "/tags" && change === "removed" ? from : [];
  if (!isJsonArray(items) || items.length === 0) return [member];
  const value = (item: JsonValue) => (change === "added" ? { to: item } : { from: item });
  return items.map((item, index) => ({ pointer: `/tags/${index}`, change, ...value(item) }));
}

function isItem({ pointer, child }: MemberChange): boolean {
  const steps = parsePointer(pointer);
  return /^\d+$/.test(steps.at(-1) ?? "") && (child === undefined || steps.length > 2);
}

function isScalar(value: JsonValue | undefined): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

interface DescribedMember {
  /** Changes of one child have one key, so they can share a line. */
  readonly key: string;
  readonly line: Line;
  /** The change without the child's name; undefined without a child, and for a whole child. */
  readonly within?: Words;
}

function describeMember(member: MemberChange, whole: boolean): DescribedMember {
  const { pointer, change, child } = member;
  const [list = "", index = "", ...steps] = parsePointer(pointer);
  const mark: Mark = MARKS[change];
  if (child === undefined) {
    const path = [list, index, ...steps].filter((step) => step !== "");
    if (isTag(member)) {
      const value = textOf(change === "removed" ? member.from : member.to);
      return { key: pointer, line: { mark, words: `tag ${cut(value, whole)}` } };
    }
    const { words, inner } = valueWords(member, whole, ":");
    return { key: pointer, line: { mark, words: [path.join("."), ...spansOf(words)], inner } };
  }
  const called = `${child.noun} ${child.name === "" ? `number ${Number(index) + 1}` : `"${child.name}"`}`;
  // A removed child may have the pointer of an added one, so the key also has the change.
  if (steps.length === 0 && change !== "changed") return { key: `${change} ${pointer}`, line: { mark, words: called } };
  const { words, inner } = valueWords(member, whole, "");
  const within = [steps.join("."), ...spansOf(words)];
  const key = pointer.split("/").slice(0, 3).join("/");
  return { key, line: { mark: "~", words: [`${called}: `, ...within], inner }, within };
}

function isTag({ pointer, change }: MemberChange): boolean {
  return /^\/tags\/\d+$/.test(pointer) && (change === "added" || change === "removed");
}

function valueWords(member: MemberChange, whole: boolean, colon: string): Pick<Line, "words" | "inner"> {
  const { change, from, to, fromName, toName } = member;
  if (change === "moved") return { words: `${colon} in another order` };
  if (change === "added" || change === "removed") {
    const isAdded = change === "added";
    const value = nameOrValue(isAdded ? to : from, isAdded ? toName : fromName, whole);
    return { words: `${colon} ${change}: ${cut(value, whole)}` };
  }
  const isSameType = (typeof from === "string") === (typeof to === "string");
  const isLong = [from, to].some((value) => textOf(value).length > VALUE_WIDTH);
  if (fromName === undefined && toName === undefined && isSameType && isLong) {
    const [before, after] = [longText(from), longText(to)];
    if (before.includes("\n") || after.includes("\n")) {
      return { words: `${colon} changed`, inner: changedLines(before, after, whole) };
    }
    return { words: [`${colon} `, ...spansOf(changedWords(before, after, whole))] };
  }
  const withId = whole || fromName === toName;
  const [before, after] = [nameOrValue(from, fromName, withId), nameOrValue(to, toName, withId)];
  return { words: `${colon} ${cut(before, whole)} → ${cut(after, whole)}` };
}

function nameOrValue(value: JsonValue | undefined, name: string | undefined, withId: boolean): string {
  if (name === undefined) return textOf(value);
  return withId ? `"${name}" (${textOf(value)})` : `"${name}"`;
}

function longText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : textOf(value);
}

function cut(text: string, whole: boolean): string {
  return whole ? text : fitText(text.slice(0, 1000), VALUE_WIDTH);
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? "" : compactJson(value);
}
