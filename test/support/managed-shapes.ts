import { readFileSync } from "node:fs";

/** A schema of `test/fixtures/managed-shapes`: the part of JSON Schema that the description needs; `$ref` is the name of another. */
export interface Shape {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Shape;
  readonly items?: Shape;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** What the owner of the managed service publishes of its records and bodies. Unknown members are refused. */
const shapes: Readonly<Record<string, Shape>> = JSON.parse(
  readFileSync(new URL("../fixtures/managed-shapes/schemas.json", import.meta.url), "utf8"),
) as Record<string, Shape>;

/** The shape of that name. */
export function shapeNamed(name: string): Shape {
  const shape = shapes[name];
  if (shape === undefined) throw new Error(`no shape ${name}`);
  return shape;
}

/** Where a value is not of the shape: `/tiles/0/config: …`, without values. */
export function disagreements(shape: Shape, value: unknown, at = ""): string[] {
  if (shape.$ref !== undefined) return disagreements(shapeNamed(shape.$ref), value, at);
  if (shape.anyOf !== undefined) return nearest(shape.anyOf, value, at);
  if (shape.const !== undefined) return value === shape.const ? [] : [`${at}: is not ${shape.const}`];
  if (shape.enum !== undefined) {
    return typeof value === "string" && shape.enum.includes(value)
      ? []
      : [`${at}: is none of ${shape.enum.join(", ")}`];
  }
  if (typeOf(value) !== shape.type && !(shape.type === "number" && typeOf(value) === "integer")) {
    return [`${at}: is ${typeOf(value)}, not ${shape.type}`];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => (shape.items ? disagreements(shape.items, item, `${at}/${index}`) : []));
  }
  if (typeof value === "object" && value !== null) return membersOf(shape, { ...value }, at);
  return outOfBounds(shape, value, at);
}

function membersOf(shape: Shape, value: Readonly<Record<string, unknown>>, at: string): string[] {
  const { properties = {}, required = [], additionalProperties } = shape;
  const missing = required
    .filter((member) => value[member] === undefined)
    .map((member) => `${at}/${member}: is missing`);
  const wrong = Object.entries(value).flatMap(([member, inner]) => {
    const known = Object.hasOwn(properties, member) ? properties[member] : additionalProperties;
    if (known === false) return [`${at}/${member}: is not described`];
    return known === undefined ? [] : disagreements(known, inner, `${at}/${member}`);
  });
  return [...missing, ...wrong];
}

/** The branch that the value is nearest to: a wrong type counts for most, then a wrong constant, as in `displayType`. */
function nearest(branches: readonly Shape[], value: unknown, at: string): string[] {
  const found: string[][] = [];
  for (const branch of branches) {
    const problems = disagreements(branch, value, at);
    if (problems.length === 0) return [];
    found.push(problems);
  }
  const weightOf = (problem: string): number => {
    if (problem.startsWith(`${at}: is `)) return 10_000;
    if (problem.endsWith(": is not described")) return 0.01;
    return /: is (?:not \w+$|missing)/.test(problem) ? 100 : 1;
  };
  const weight = (problems: readonly string[]): number => problems.reduce((sum, each) => sum + weightOf(each), 0);
  return found.toSorted((one, other) => weight(one) - weight(other))[0] ?? [];
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
};

function outOfBounds({ format, minimum, maximum, minLength, maxLength }: Shape, value: unknown, at: string): string[] {
  const text = typeof value === "string" ? value : undefined;
  const number = typeof value === "number" ? value : undefined;
  const wrong =
    (text !== undefined && FORMATS[format ?? ""]?.test(text) === false) ||
    (text !== undefined && (text.length < (minLength ?? 0) || text.length > (maxLength ?? Infinity))) ||
    (number !== undefined && (number < (minimum ?? -Infinity) || number > (maximum ?? Infinity)));
  return wrong ? [`${at}: is out of bounds`] : [];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
