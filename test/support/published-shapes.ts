import { readFileSync } from "node:fs";
import { getOrMake } from "../../src/core/collections.ts";

/** A schema in `test/fixtures`, in the part of JSON Schema that the descriptions use. `$ref` is the name of another schema. */
export interface Shape {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: string | number;
  readonly enum?: readonly (string | number)[];
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
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

/** Makes the shape of an object that has exactly these members. */
export function objectOf(properties: Readonly<Record<string, Shape>>): Shape {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** The shapes of records and bodies that the owner of a server publishes. They allow no other members. */
export interface PublishedShapes {
  readonly shapeNamed: (name: string) => Shape;
  /** Returns the places at which a value differs from a shape: `/tiles/0/config: …`. Quotes only values that should be one of a list. */
  readonly disagreements: (shape: Shape, value: unknown, at?: string) => string[];
}

/** Reads the description in a folder of `test/fixtures`. */
export function readShapes(folder: string): PublishedShapes {
  const file = new URL(`../fixtures/${folder}/schemas.json`, import.meta.url);
  const shapes = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, Shape>>;
  const published: PublishedShapes = {
    shapeNamed: (name) => {
      const shape = shapes[name];
      if (shape === undefined) throw new Error(`no shape ${name}`);
      return shape;
    },
    disagreements: (shape, value, at = "") => disagreements(published, shape, value, at),
  };
  return published;
}

function disagreements(published: PublishedShapes, shape: Shape, value: unknown, at: string): string[] {
  if (shape.$ref !== undefined) return published.disagreements(published.shapeNamed(shape.$ref), value, at);
  if (shape.anyOf !== undefined) return nearest(published, shape.anyOf, value, at);
  if (shape.const !== undefined) return value === shape.const ? [] : [`${at}: is not ${shape.const}`];
  if (shape.enum !== undefined)
    return shape.enum.some((word) => word === value)
      ? []
      : [`${at}: is none of ${shape.enum.join(", ")}${butWord(value)}`];
  if (shape.type === undefined) return [];
  if (typeOf(value) !== shape.type && !(shape.type === "number" && typeOf(value) === "integer")) {
    return [`${at}: is ${typeOf(value)}, not ${shape.type}`];
  }
  if (Array.isArray(value)) return itemsOf(published, shape, value, at);
  if (typeof value === "object" && value !== null)
    return membersOf(published, shape, value as Readonly<Record<string, unknown>>, at);
  return outOfBounds(shape, value, at);
}

function butWord(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? `, but ${value}` : "";
}

function itemsOf(published: PublishedShapes, shape: Shape, value: readonly unknown[], at: string): string[] {
  const { items, minItems = 0, maxItems = Infinity } = shape;
  if (value.length < minItems || value.length > maxItems) return [`${at}: is out of bounds`];
  const found: string[] = [];
  if (items === undefined) return found;
  for (const [index, item] of value.entries()) {
    found.push(...published.disagreements(items, item, `${at}/${index}`));
  }
  return found;
}

// Every exchange of the tests with a sandbox is compared, so no list is made for a member without disagreement.
function membersOf(
  published: PublishedShapes,
  shape: Shape,
  value: Readonly<Record<string, unknown>>,
  at: string,
): string[] {
  const { properties = {}, required = [], additionalProperties } = shape;
  const found: string[] = [];
  for (const member of required) if (value[member] === undefined) found.push(`${at}/${member}: is missing`);
  for (const member of Object.keys(value)) {
    const known = Object.hasOwn(properties, member) ? properties[member] : additionalProperties;
    if (known === false) found.push(`${at}/${member}: is not described`);
    else if (known !== undefined) found.push(...published.disagreements(known, value[member], `${at}/${member}`));
  }
  return found;
}

/** Returns the disagreements with the branch that fits best. A wrong type weighs most, then a wrong constant (`displayType`). */
function nearest(published: PublishedShapes, branches: readonly Shape[], value: unknown, at: string): string[] {
  const found: string[][] = [];
  // A branch that has the value's constants almost always fits, so the others need not be tried.
  const likely = branches.filter((branch) => hasConstantsOf(published, branch, value));
  for (const branch of new Set([...likely, ...branches])) {
    const problems = published.disagreements(branch, value, at);
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

/** Tells whether the constant members of a branch, such as `displayType`, have the same values in the value. */
function hasConstantsOf(published: PublishedShapes, branch: Shape, value: unknown): boolean {
  const { anyOf, properties = {} } = branch.$ref === undefined ? branch : published.shapeNamed(branch.$ref);
  if (anyOf !== undefined) return anyOf.some((inner) => hasConstantsOf(published, inner, value));
  const members = Object(value) as Readonly<Record<string, unknown>>;
  return constantsIn(properties).every(([member, word]) => word === members[member]);
}

const constants = new WeakMap<object, readonly (readonly [string, unknown])[]>();

/** Returns the constant members of a shape. */
function constantsIn(properties: Readonly<Record<string, Shape>>): readonly (readonly [string, unknown])[] {
  return getOrMake(constants, properties, () =>
    Object.entries(properties)
      .filter(([, { const: word }]) => word !== undefined)
      .map(([member, { const: word }]) => [member, word]),
  );
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
};

const expressions = new Map<string, RegExp>();
const expressionOf = (pattern: string): RegExp => getOrMake(expressions, pattern, () => new RegExp(pattern));

function outOfBounds(shape: Shape, value: unknown, at: string): string[] {
  const { format, minimum, maximum, minLength, maxLength, pattern } = shape;
  const text = typeof value === "string" ? value : undefined;
  const number = typeof value === "number" ? value : undefined;
  const wrong =
    (text !== undefined && FORMATS[format ?? ""]?.test(text) === false) ||
    (text !== undefined && pattern !== undefined && !expressionOf(pattern).test(text)) ||
    (text !== undefined && (text.length < (minLength ?? 0) || text.length > (maxLength ?? Infinity))) ||
    (number !== undefined && (number < (minimum ?? -Infinity) || number > (maximum ?? Infinity)));
  return wrong ? [`${at}: is out of bounds`] : [];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
