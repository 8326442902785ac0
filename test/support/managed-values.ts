import type { Shape } from "./managed-shapes.ts";
import { shapeNamed } from "./managed-shapes.ts";

/** What stands in a member; undefined leaves it to the shape. */
export type Fixed = (member: string) => unknown;

/**
 * Values of a shape that together have every member, every branch of every union and every word of every enumeration, null and
 * absence where they are allowed.
 */
export function valuesOf(shape: Shape, fixed: Fixed): unknown[] {
  if (shape.$ref !== undefined) return valuesOf(shapeNamed(shape.$ref), fixed);
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap((branch) => valuesOf(branch, fixed));
  if (shape.const !== undefined) return [shape.const];
  if (shape.enum !== undefined) return [...shape.enum];
  if (shape.type === "object") return objectsOf(shape, fixed);
  if (shape.type === "array") return inGroups(valuesOf(shape.items ?? {}, fixed));
  return plainOf(shape);
}

/** Arrays of two: one array of all would be in each of the objects around it. */
function inGroups(items: readonly unknown[]): unknown[][] {
  return Array.from({ length: Math.ceil(items.length / 2) }, (_, index) => items.slice(index * 2, index * 2 + 2));
}

function plainOf({ type, format, minimum = 1 }: Shape): unknown[] {
  if (type === "null") return [null];
  if (type === "boolean") return [true, false];
  if (type === "integer" || type === "number") return [Math.max(minimum, 1)];
  if (format === "date-time") return ["2026-11-01T10:00:00.000Z"];
  return [format === "hostname" ? "db.example.com" : "text"];
}

/** As many objects as one member has values, then one with no more than it needs. */
function objectsOf({ properties = {}, required = [], additionalProperties }: Shape, fixed: Fixed): unknown[] {
  if (typeof additionalProperties === "object") return [{ name: "text" }];
  const members = Object.entries(properties).map(([name, shape]) => {
    const value = fixed(name);
    return { name, values: value === undefined ? valuesOf(shape, fixed) : [value] };
  });
  const most = Math.max(1, ...members.map(({ values }) => values.length));
  const whole = Array.from({ length: most }, (_, index) =>
    Object.fromEntries(members.map(({ name, values }) => [name, values[index % values.length]])),
  );
  const least = Object.fromEntries(
    members.filter(({ name }) => required.includes(name)).map(({ name, values }) => [name, values[0]]),
  );
  return [...whole, least];
}
