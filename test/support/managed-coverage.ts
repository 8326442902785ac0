import type { Shape } from "./managed-shapes.ts";
import { disagreements, shapeNamed } from "./managed-shapes.ts";

type Marks = Set<string>;

/** What a shape has to show: every member, every branch of every union, and every word of every enumeration, each once. */
export function marksOf(shape: Shape, at: string, marks: Marks = new Set()): Marks {
  if (shape.$ref !== undefined) {
    if (marks.has(`${shape.$ref}!`)) return marks;
    marks.add(`${shape.$ref}!`);
    return marksOf(shapeNamed(shape.$ref), shape.$ref, marks);
  }
  for (const [index, branch] of (shape.anyOf ?? []).entries()) {
    marks.add(branchMark(at, branch, index));
    marksOf(branch, `${at}|${index}`, marks);
  }
  for (const word of shape.enum ?? []) marks.add(`${at} = ${word}`);
  for (const [member, inner] of Object.entries(shape.properties ?? {})) {
    marks.add(`${at}.${member}`);
    marksOf(inner, `${at}.${member}`, marks);
  }
  if (shape.items !== undefined) marksOf(shape.items, `${at}[]`, marks);
  return marks;
}

/** What of that a value has. */
export function markValue(shape: Shape, value: unknown, at: string, marks: Marks): void {
  if (shape.$ref !== undefined) {
    marks.add(`${shape.$ref}!`);
    return markValue(shapeNamed(shape.$ref), value, shape.$ref, marks);
  }
  for (const [index, branch] of (shape.anyOf ?? []).entries()) {
    if (!fits(branch, value)) continue;
    marks.add(branchMark(at, branch, index));
    markValue(branch, value, `${at}|${index}`, marks);
  }
  if (shape.enum !== undefined) marks.add(`${at} = ${String(value)}`);
  if (Array.isArray(value)) for (const item of value) markValue(shape.items ?? {}, item, `${at}[]`, marks);
  else if (typeof value === "object" && value !== null) {
    for (const [member, inner] of Object.entries(shape.properties ?? {})) {
      const content = (value as Readonly<Record<string, unknown>>)[member];
      if (content === undefined) continue;
      marks.add(`${at}.${member}`);
      markValue(inner, content, `${at}.${member}`, marks);
    }
  }
}

/** `level` is a number on the wire, whatever the description says. */
function fits(branch: Shape, value: unknown): boolean {
  return disagreements(branch, value).every((each) => each.includes("/level:"));
}

function branchMark(at: string, { $ref }: Shape, index: number): string {
  return `${at} is ${$ref ?? index}`;
}
