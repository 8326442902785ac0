import type { SecretAnswer, SecretAnswers, SecretValue } from "../../core/plan/secrets.ts";
import { isNamedValues } from "../../core/plan/secrets.ts";
import type { MissingSecret } from "../../core/plan/plan.ts";
import { quoteText } from "../yaml.ts";

const HEADER = `# stackferry secrets file: the secrets that an archive does not have. Fill in the empty values and give the file to --secrets.
# A value is the secret itself, \${env:NAME} or \${file:PATH} (relative to this file). Empty values are ignored.
# It takes the place of «redacted:…» in the text above it; for the path of an address, the whole address does as well. Look at that text first: it names the host that the secret goes to.
# A value is only used for the text that it was drafted for, which is what its context says. Leave the contexts as they are.
`;

/**
 * Drafts a secrets file from the secrets that a plan lacks. Existing answers are kept, even those for another context, so reading the
 * draft gives exactly `lines` again.
 */
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
    return `${quoteText(key)}:${name ? ` # ${quoteText(name)}` : ""}\n${places.join("")}`;
  });
  return [HEADER, ...sections].join("\n");
}

/** Writes one place: its answers, and an empty one if none is for the archive's current context. */
function placeText(pointer: string, filled: readonly SecretAnswer[], missingSecret: MissingSecret | undefined): string {
  const isAnswered = missingSecret === undefined || filled.some(({ context }) => context === missingSecret.context);
  const drafted = isAnswered
    ? []
    : [
        {
          context: missingSecret.context,
          value: missingSecret.rules.length === 1 ? "" : missingSecret.rules.map(() => ""),
        },
      ];
  const answers: readonly SecretAnswer[] = [...drafted, ...filled];
  const about =
    missingSecret === undefined
      ? ""
      : comments(missingSecret)
          .map((line) => `  # ${line}\n`)
          .join("");
  const [only] = answers;
  const body =
    answers.length === 1 && only
      ? answerText(only, "    ", "    ")
      : answers.map((answer) => answerText(answer, "    - ", "      ")).join("");
  return `${about}  ${quoteText(pointer)}:\n${body}`;
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
  const bound = context === undefined ? [] : [`context: ${quoteText(context)}`];
  const lines = [...bound, `value:${valueText(value, `${next}  `)}`];
  return lines.map((line, index) => `${index === 0 ? first : next}${line}\n`).join("");
}

function valueText(value: SecretValue, indent: string): string {
  if (value === null) return " null";
  if (typeof value === "string") return ` ${quoteText(value)}`;
  if (!isNamedValues(value)) return ` [${value.map(quoteText).join(", ")}]`;
  return Object.entries(value)
    .map(([name, text]) => `\n${indent}${quoteText(name)}: ${quoteText(text)}`)
    .join("");
}
