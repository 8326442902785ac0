import { issueText } from "../../core/schemas.ts";
import { StackferryError } from "../../core/errors.ts";
import { closestName } from "../../core/text/similarity.ts";
import type { ManualMapping, Transforms } from "../../core/plan/plan.ts";
import { textsOfSecret, type RedactionRules, type SecretAnswer, type SecretAnswers } from "../../core/secrets.ts";
import { createRedactor, type Redactor } from "../../redaction/redactor.ts";
import { transformsSchema } from "../../config/schema.ts";

/** @throws StackferryError `usage`; the message names the option, not the value */
export function requireChoice<T extends string>(value: T, choices: readonly T[], option: string): T {
  if (choices.includes(value)) return value;
  throw new StackferryError("usage", `${option} must be one of ${choices.join(", ")}`);
}

/**
 * Refuses a text, which plain JavaScript allows: its letters would become the items.
 * @throws StackferryError `usage`
 */
export function requireTexts(value: readonly string[] | undefined, option: string): readonly string[] {
  const list: unknown = value ?? [];
  if (Array.isArray(list) && list.every((item) => typeof item === "string")) return list;
  throw new StackferryError("usage", `${option} must be a list of texts`);
}

/** The names of all options: a new option without its name does not compile. */
export type OptionNames<Options extends object> = Readonly<Record<keyof Options, true>>;

/**
 * Plain JavaScript allows a call without options, and unknown options: `dryrun` would write.
 * @throws StackferryError `config`, `usage`
 */
export function requireOptions<Options extends object>(options: Options, names: OptionNames<Options>): void {
  const given: unknown = options;
  if (typeof given !== "object" || given === null)
    throw new StackferryError("config", "the options are missing", { hint: "pass them as one object" });
  const [unknown] =
    Object.entries(given).find(([name, value]) => value !== undefined && !Object.hasOwn(names, name)) ?? [];
  if (unknown === undefined) return;
  throw unknownName(`there is no option "${unknown}"`, unknown, Object.keys(names));
}

export function unknownName(message: string, name: string, choices: readonly string[]): StackferryError {
  const suggestion = closestName(name, choices);
  const hint = suggestion === undefined ? `the choices are ${choices.join(", ")}` : `did you mean ${suggestion}?`;
  return new StackferryError("usage", message, { hint });
}

export async function loadMapping(map: ManualMapping | string | undefined): Promise<ManualMapping> {
  if (typeof map !== "string") return map ?? {};
  // The YAML reader takes long to load.
  const { loadMapFile } = await import("../../config/map-file.ts");
  return loadMapFile(map);
}

export function checkTransforms(transforms: Transforms | undefined): Transforms | undefined {
  if (transforms === undefined) return undefined;
  const { data, error } = transformsSchema.safeParse(transforms);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const member = ["transforms", ...(issue?.path ?? [])].map(String).join(".");
  throw new StackferryError("usage", `${member}: ${issue === undefined ? "not understood" : issueText(issue)}`);
}

/**
 * Secrets that an archive lacks, by `KIND/ID` and JSON pointer; the plan's `missingSecrets` lists the places with their `context`.
 */
export type SecretValues = Readonly<Record<string, Readonly<Record<string, SecretAnswer | readonly SecretAnswer[]>>>>;

export function normaliseSecrets(secretValues: SecretValues): {
  readonly secretAnswers: SecretAnswers;
  readonly values: readonly string[];
} {
  const records = Object.entries(secretValues).map(([key, places]) => {
    const lists = Object.entries(places).map(([pointer, answers]) => [pointer, [answers].flat()] as const);
    return [key, Object.fromEntries(lists)] as const;
  });
  const answers = records.flatMap(([, places]) => Object.values(places).flat());
  return { secretAnswers: Object.fromEntries(records), values: answers.flatMap(({ value }) => textsOfSecret(value)) };
}

/**
 * @param literals secrets whose exact text is known
 * @throws StackferryError `config` for an invalid regular expression
 */
export function buildRedactor(rules: RedactionRules = {}, literals: readonly string[] = []): Redactor {
  try {
    return createRedactor({ ...rules, literals });
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new StackferryError("config", "a pattern under `redaction` is not a regular expression", { cause });
  }
}
