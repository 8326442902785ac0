import { z } from "zod";
import { Refusal } from "./http/envelope.ts";
import { isObject } from "./store.ts";

export interface Mistake {
  /** The dotted path, such as `tiles.1.w`; empty for the whole body. */
  readonly path: string;
  readonly message: string;
}

export type Parsed<Out> =
  | { readonly ok: true; readonly value: Out }
  | { readonly ok: false; readonly mistakes: Mistake[] };

export function addMistake(context: z.RefinementCtx, path: (string | number)[], message: string): void {
  context.addIssue({ code: "custom", path, message });
}

const ENUMERATION = "an enumeration";

/** The servers check an enumeration with one word; a literal would have another message. */
export function onlyWord<Word extends string>(word: Word) {
  return z.enum([word], { error: ENUMERATION });
}

export function parseOrListMistakes<Out>(schema: z.ZodType<Out>, value: unknown): Parsed<Out> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { ok: true, value: result.data };
  const issues = result.error.issues.filter((issue, index, all) => !followsTypeMistake(issue, all.slice(0, index)));
  const mistakes = issues.map((issue) => ({ path: issue.path.join("."), message: issueMessage(issue) }));
  return { ok: false, mistakes };
}

/** The servers report a wrong type without the size, except a fraction in place of an integer. */
function followsTypeMistake({ code, path }: z.core.$ZodIssue, earlier: readonly z.core.$ZodIssue[]): boolean {
  if (code !== "too_small" && code !== "too_big") return false;
  const place = path.join(".");
  return earlier.some(
    (issue) => issue.code === "invalid_type" && issue.expected !== "int" && issue.path.join(".") === place,
  );
}

export function parseOrRefuse<Out>(schema: z.ZodType<Out>, value: unknown, part: "Body" | "Query"): Out {
  const parsed = parseOrListMistakes(schema, value);
  if (parsed.ok) return parsed.value;
  throw refusalOf(parsed.mistakes, part);
}

function refusalOf(mistakes: readonly Mistake[], part: string): Refusal {
  const texts = mistakes.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return new Refusal(400, `${part} validation failed: ${texts.join("; ")}`);
}

/** The messages of the older zod that the servers use (recordings 14, 37, 57, 103, 209). */
function issueMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeMessage(issue.expected, issue.input);
    case "invalid_value":
      return valueMessage(issue);
    case "too_big":
      if (issue.exact === true) return `Array must contain exactly ${Number(issue.maximum)} element(s)`;
      return sizeMessage(issue.origin, Number(issue.maximum), "most", "less");
    case "too_small":
      if (issue.exact === true) return `Array must contain exactly ${Number(issue.minimum)} element(s)`;
      return sizeMessage(issue.origin, Number(issue.minimum), "least", "greater");
    case "unrecognized_keys":
      return `Unrecognized key(s) in object: ${issue.keys.map((key) => `'${key}'`).join(", ")}`;
    default:
      return issue.message;
  }
}

function typeMessage(expected: string, input: unknown): string {
  if (input === undefined) return "Required";
  if (expected === "int") return "Expected integer, received float";
  return `Expected ${expected === "record" ? "object" : expected}, received ${typeOf(input)}`;
}

function typeOf(input: unknown): string {
  if (input === null) return "null";
  if (Number.isNaN(input)) return "nan";
  return Array.isArray(input) ? "array" : typeof input;
}

function valueMessage({ values, input, message }: z.core.$ZodIssueInvalidValue): string {
  if (values.length === 1 && message !== ENUMERATION)
    return `Invalid literal value, expected ${JSON.stringify(values[0])}`;
  if (input === undefined) return "Required";
  const options = values.map((value) => `'${String(value)}'`).join(" | ");
  if (typeof input !== "string") return `Expected ${options}, received ${typeOf(input)}`;
  return `Invalid enum value. Expected ${options}, received '${input}'`;
}

function sizeMessage(origin: string, bound: number, extreme: "most" | "least", side: "less" | "greater"): string {
  if (origin === "string") return `String must contain at ${extreme} ${bound} character(s)`;
  if (origin === "array") return `Array must contain at ${extreme} ${bound} element(s)`;
  return `Number must be ${side} than or equal to ${bound}`;
}

export function refuseUnknown(body: unknown, parsedBody: unknown): void {
  const mistakes = listUnknownMembers(body, parsedBody);
  if (mistakes.length > 0) throw refusalOf(mistakes, "Body");
}

export function listUnknownMembers(body: unknown, parsedBody: unknown, path = ""): readonly Mistake[] {
  const pathOf = (name: string | number): string => (path === "" ? String(name) : `${path}.${name}`);
  if (Array.isArray(body) && Array.isArray(parsedBody)) {
    return body.flatMap((item, index) => listUnknownMembers(item, parsedBody[index], pathOf(index)));
  }
  if (!isObject(body) || !isObject(parsedBody)) return [];
  const members = Object.keys(body);
  const unknownNames = members
    .filter((member) => !Object.hasOwn(parsedBody, member) || parsedBody[member] === undefined)
    .map((member) => `'${member}'`);
  const mistake = { path, message: `Unrecognized key(s) in object: ${unknownNames.join(", ")}` };
  const nestedMistakes = members.flatMap((member) =>
    listUnknownMembers(body[member], parsedBody[member], pathOf(member)),
  );
  return unknownNames.length === 0 ? nestedMistakes : [mistake, ...nestedMistakes];
}
