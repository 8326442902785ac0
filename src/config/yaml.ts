import { LineCounter, Scalar, parseDocument, type Document } from "yaml";
import type { z } from "zod";
import { StackferryError } from "../core/errors.ts";
import { MAX_MISTAKES, firstLines } from "../core/text/format.ts";
import { recordBounds } from "../core/text/json-scan.ts";
import { issueText } from "../core/schemas.ts";
import { mayHoldMoreValues, offsetOfMember, offsetOfRepeatedKey } from "../core/text/yaml-checks.ts";

/** The limit is enough for many stacks, and too low to fill the memory. */
const MAX_ALIASES = 1000;

/** `text` reads every plain scalar but null as a string, because ids and secrets may look like numbers. */
type Scalars = "typed" | "text";

const PLAIN_NULL = {
  tag: "tag:yaml.org,2002:null",
  default: true,
  test: /^(?:~|null|Null|NULL)$/,
  resolve: () => new Scalar(null),
} as const;

/** @throws StackferryError `config` that quotes no value */
export function parseYaml<T>(text: string, label: string, schema: z.ZodType<T>, scalars: Scalars = "typed"): T {
  if (mayHoldMoreValues(text, recordBounds.maxValues)) throw badFile(label, undefined, "it holds too many values");
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // The parser's own check compares each key with all others, and a map file can have thousands of keys.
    uniqueKeys: false,
    // In files of texts, `<<` is an ordinary key.
    merge: scalars === "typed",
    ...(scalars === "typed" ? { schema: "core" } : { schema: "failsafe", customTags: [PLAIN_NULL] }),
  });
  const [syntaxError] = document.errors;
  if (syntaxError !== undefined) {
    const { line } = lines.linePos(syntaxError.pos[0]);
    throw badFile(label, line, `it is not valid YAML (${syntaxError.code.toLowerCase().replaceAll("_", " ")})`);
  }
  const repeated = offsetOfRepeatedKey(document);
  if (repeated !== undefined)
    throw badFile(label, lines.linePos(repeated).line, "it is not valid YAML (the same key twice)");
  const parsed = toValue(document, label);
  const result = schema.safeParse(parsed);
  if (result.success) return result.data;
  const mistakes = result.error.issues.map((issue) => {
    const { path, problem } = mistakeOf(issue);
    const offset = offsetOfMember(document, path, "key");
    return badFile(label, offset === undefined ? undefined : lines.linePos(offset).line, problem);
  });
  const [first, ...others] = mistakes;
  if (first === undefined || others.length === 0) throw first ?? badFile(label, undefined, "the file: not understood");
  throw new StackferryError("config", `${label}: ${mistakes.length} mistakes`, {
    hint: HINT,
    faults: firstLines(mistakes, MAX_MISTAKES, ({ message }) => message),
  });
}

const HINT = "correct the file and run the command again";

function toValue(document: Document.Parsed, label: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch {
    // The library's error is dropped, because its message quotes the alias.
    throw badFile(label, undefined, "it uses a YAML alias (*NAME) that no anchor (&NAME) defines, or too many");
  }
}

function badFile(label: string, line: number | undefined, problem: string): StackferryError {
  const location = line === undefined ? label : `${label}:${line}`;
  return new StackferryError("config", `${location}: ${problem}`, { hint: HINT });
}

function mistakeOf(issue: z.core.$ZodIssue): { readonly path: readonly PropertyKey[]; readonly problem: string } {
  const { path } = issue;
  const where = path.length === 0 ? "the file" : path.map(String).join(".");
  switch (issue.code) {
    case "unrecognized_keys": {
      const isOwn = !issue.message.startsWith("Unrecognized key");
      const problem = isOwn ? issue.message : `unknown member ${quoted(issue.keys)}`;
      return { path: [...path, issue.keys[0] ?? ""], problem: `${where}: ${problem}` };
    }
    case "invalid_key":
      return { path, problem: `${where}: ${issue.issues[0]?.message ?? issue.message}` };
    case "invalid_union": {
      // The user most likely meant the branch whose mistake is deepest inside.
      const [inner] = issue.errors.flat().sort((left, right) => right.path.length - left.path.length);
      if (inner !== undefined) return mistakeOf({ ...inner, path: [...path, ...inner.path] });
      const options = "options" in issue && issue.options !== undefined ? issue.options.map(String) : [];
      return { path, problem: `${where}: ${options.length > 0 ? `write ${options.join(" or ")}` : issueText(issue)}` };
    }
    default:
      return { path, problem: `${where}: ${issueText(issue)}` };
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Escapes characters that could end the line or steer a terminal. */
export function quoteYamlText(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xff_ff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
