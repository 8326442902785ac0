import type { Document } from "yaml";
import { LineCounter, Scalar, isMap, isNode, isScalar, parseDocument } from "yaml";
import type { z } from "zod";
import { StackferryError } from "../core/errors.ts";
import { recordBounds } from "../core/text/json-scan.ts";
import { mayHoldMore, repeatedKey } from "../core/text/yaml-checks.ts";
import { problemOf } from "./yaml-problem.ts";

/** Maximum number of alias resolutions in a file: enough for honest reuse, too few for a file that expands without end. */
const MAX_ALIASES = 50;

/**
 * `text`: every plain scalar is a string, for files full of ids that look like numbers. `text-or-null`: as `text`, but a plain
 * `null` or `~` is null.
 */
type Scalars = "typed" | "text" | "text-or-null";

interface YamlOptions {
  readonly scalars?: Scalars;
  /** Schema that lists the allowed members of each place, if functions of the main schema check some of them. */
  readonly outline?: z.ZodType;
}

const PLAIN_NULL = {
  tag: "tag:yaml.org,2002:null",
  default: true,
  test: /^(?:~|null|Null|NULL)$/,
  resolve: () => new Scalar(null),
} as const;

/**
 * Reads one of our own YAML files and validates it.
 * @param label the file's path, for messages.
 * @throws StackferryError `config` that names the file, the line if known, and the member; never a value.
 */
export function parseYaml<T>(
  text: string,
  label: string,
  schema: z.ZodType<T>,
  { scalars = "typed", outline = schema }: YamlOptions = {},
): T {
  if (mayHoldMore(text, recordBounds.maxValues)) throw badFile(label, undefined, "it holds too many values");
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // The check would compare each key with all others, and a map file can have thousands.
    uniqueKeys: false,
    schema: scalars === "typed" ? "core" : "failsafe",
    ...(scalars === "text-or-null" && { customTags: [PLAIN_NULL] }),
  });
  const [syntaxError] = document.errors;
  if (syntaxError !== undefined) {
    const { line } = lines.linePos(syntaxError.pos[0]);
    throw badFile(label, line, `it is not valid YAML (${syntaxError.code.toLowerCase().replaceAll("_", " ")})`);
  }
  const repeated = repeatedKey(document);
  if (repeated !== undefined)
    throw badFile(label, lines.linePos(repeated).line, "it is not valid YAML (the same key twice)");
  const parsed = toValue(document, label);
  const result = schema.safeParse(parsed);
  if (result.success) return result.data;
  const { path, text: problem } = problemOf(result.error, parsed, outline);
  throw badFile(label, lineOf(document, lines, path), problem);
}

function toValue(document: Document.Parsed, label: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch {
    // The library's message quotes the alias, and no content of the file belongs in a message.
    throw badFile(label, undefined, "it uses YAML aliases, which are not allowed here");
  }
}

function badFile(label: string, line: number | undefined, problem: string): StackferryError {
  const location = line === undefined ? label : `${label}:${line}`;
  return new StackferryError("config", `${location}: ${problem}`, {
    hint: "correct the file and run the command again",
  });
}

/** Returns the line of an issue's member: of its key, or of the nearest key around it. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const member = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path[length - 1]))?.key
      : document.getIn(path.slice(0, length), true);
    if (isNode(member) && member.range) return lines.linePos(member.range[0]).line;
  }
  return undefined;
}

/**
 * Returns a double-quoted YAML scalar. Names come from a stack, so characters that could end the line or steer a terminal are
 * escaped.
 */
export function quoteText(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xff_ff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
