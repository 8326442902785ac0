import { z } from "zod";
import { isNamedValues, type SecretAnswer, type SecretAnswers, type SecretValue } from "../../core/secrets.ts";
import { readTextFile } from "../expand-values.ts";
import { parseYaml, quoteYamlText } from "../yaml.ts";
import type { MissingSecret } from "../../core/plan/plan.ts";

const text = z.string().nullable();
const values = z.union([text, z.array(text), z.record(z.string().min(1), text)]);
const answer = z.strictObject({ context: z.string().optional(), value: values.optional() });
const place = z.union([
  answer.transform((only) => [only]),
  z.array(answer),
  // The short form has no context, and only null counts without a context.
  z.union([text, z.array(text)]).transform((value) => [{ value, context: undefined }]),
]);
const pointer = z.string().regex(/^(?:\/|$)/, "a JSON pointer begins with /");
const key = z.string().regex(/^[a-z][a-z0-9-]*\/./, "a record is named as in the archive: dashboards/ID");
const secretsSchema = z.record(key, z.union([z.record(pointer, place), z.literal(""), z.null()]));

/** `null` is an answer: the record had no secret. `${env:…}` and `${file:…}` stay as written. */
export function parseSecretsFile(content: string, label: string): SecretAnswers {
  const records = parseYaml(content, label, secretsSchema, "text");
  return withoutEmpty(
    Object.entries(records).map(([record, lines]) => {
      const places = lines === null || lines === "" ? [] : Object.entries(lines);
      return [record, withoutEmpty(places.map(([at, answers]) => [at, answers.flatMap(filledIn)]))];
    }),
  );
}

function withoutEmpty<T extends object>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries.filter(([, inside]) => Object.keys(inside).length > 0));
}

function filledIn({ context, value = "" }: z.output<typeof answer>): SecretAnswer[] {
  const bound = context === undefined || context === "" ? {} : { context };
  return isFilledIn(value) ? [{ ...bound, value }] : [];
}

function isFilledIn(value: Readonly<z.output<typeof values>>): value is SecretValue {
  if (value === null || typeof value === "string") return value !== "";
  const texts = Object.values(value);
  return texts.length > 0 && texts.every((text) => text !== null && text !== "");
}

export async function loadSecretsFile(path: string): Promise<SecretAnswers> {
  const problem = `the secrets file ${path} cannot be read`;
  return parseSecretsFile(await readTextFile(path, problem, "--draft-secrets drafts one from a plan"), path);
}

const HEADER = `# stackferry secrets file: the secrets that an archive does not have. Fill in the empty values and give the file to --secrets.
# A value is the secret itself, \${env:NAME} or \${file:PATH} (relative to this file). Empty values are ignored.
# The value replaces «redacted:…» in the text shown above it. Look at that text first: it names the host that the secret goes to. If only the path of an address is redacted, you can also give the whole address.
# The context ties a value to the text that it was drafted for: it is used for no other text. Leave the contexts as they are.
`;

/** Keeps the answers of `lines`, even those for another context. */
export function formatSecretsDraft(missing: readonly MissingSecret[], lines: SecretAnswers = {}): string {
  const names = new Map<string, string>(missing.map(({ key, name }) => [key, name]));
  const keys = [...new Set([...Object.keys(lines), ...names.keys()])].sort();
  const sections = keys.map((key) => {
    const filled = lines[key] ?? {};
    const missingByPointer = new Map(
      missing.flatMap((secret) => (secret.key === key ? [[secret.pointer, secret] as const] : [])),
    );
    const pointers = [...new Set([...Object.keys(filled), ...missingByPointer.keys()])];
    const name = names.get(key);
    const places = pointers.map((at) => placeText(at, filled[at] ?? [], missingByPointer.get(at)));
    return `${quoteYamlText(key)}:${name ? ` # ${quoteYamlText(name)}` : ""}\n${places.join("")}`;
  });
  return [HEADER, ...sections].join("\n");
}

function placeText(pointer: string, filled: readonly SecretAnswer[], missingSecret: MissingSecret | undefined): string {
  const answers = [...filled];
  if (missingSecret !== undefined && filled.every(({ context }) => context !== missingSecret.context)) {
    const { context, rules } = missingSecret;
    answers.unshift({ context, value: rules.length === 1 ? "" : rules.map(() => "") });
  }
  const commentLines = missingSecret === undefined ? [] : comments(missingSecret).map((line) => `  # ${line}\n`);
  const [first, next] = answers.length === 1 ? ["    ", "    "] : ["    - ", "      "];
  const body = answers.map((answer) => answerText(answer, first, next));
  return [...commentLines, `  ${quoteYamlText(pointer)}:\n`, ...body].join("");
}

function comments({ rules, around, writeOnly, named }: MissingSecret): string[] {
  const rule = rules.join(", ");
  if (writeOnly === undefined) return [...around, rule];
  const how = named
    ? "the API never returns them. Write one line each below value, NAME: secret; null if there were none"
    : "the API never returns it. Write null if there was none";
  return [...around, `${rule}: ${how}`];
}

function answerText({ context, value }: SecretAnswer, first: string, next: string): string {
  const bound = context === undefined ? [] : [`context: ${quoteYamlText(context)}`];
  const lines = [...bound, `value:${valueText(value, `${next}  `)}`];
  return lines.map((line, index) => `${index === 0 ? first : next}${line}\n`).join("");
}

function valueText(value: SecretValue, indent: string): string {
  if (value === null) return " null";
  if (typeof value === "string") return ` ${quoteYamlText(value)}`;
  if (!isNamedValues(value)) return ` [${value.map(quoteYamlText).join(", ")}]`;
  return Object.entries(value)
    .map(([name, text]) => `\n${indent}${quoteYamlText(name)}: ${quoteYamlText(text)}`)
    .join("");
}
