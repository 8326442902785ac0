import { LineCounter, Scalar, parseDocument, type Document } from "yaml";
import { z } from "zod";
import { StackferryError } from "../core/errors.ts";
import { MAX_MISTAKES, firstLines } from "../core/text/format.ts";
import { recordBounds } from "../core/text/json-scan.ts";
import { issueText } from "../core/text/schema-issue.ts";
import { closestName } from "../core/text/similarity.ts";
import { mayHoldMoreValues, offsetOfMember, offsetOfRepeatedKey } from "../core/text/yaml-checks.ts";

/** Maximum number of alias resolutions in a file. It is enough for honest reuse, and stops a file that expands without end. */
const MAX_ALIASES = 50;

/**
 * `text`: every plain scalar is a string, because ids look like numbers. `text-or-null`: the same, except that `null` and `~` are
 * null.
 */
type Scalars = "typed" | "text" | "text-or-null";

interface YamlOptions {
  readonly scalars?: Scalars;
  /** For messages: a schema that lists the allowed members even where the main schema leaves the check to a function. */
  readonly outline?: z.ZodType;
  /** Whether the error names every mistake. By default it names the one that explains most, as one mistake can cause others. */
  readonly namesAll?: boolean;
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
  { scalars = "typed", outline = schema, namesAll = false }: YamlOptions = {},
): T {
  if (mayHoldMoreValues(text, recordBounds.maxValues)) throw badFile(label, undefined, "it holds too many values");
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // The parser's own check compares each key with all others, and a map file can have thousands. `offsetOfRepeatedKey` below is
    // faster.
    uniqueKeys: false,
    schema: scalars === "typed" ? "core" : "failsafe",
    ...(scalars === "text-or-null" && { customTags: [PLAIN_NULL] }),
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
  const errorOf = ({ path, text: problem }: FileProblem): StackferryError => {
    const offset = offsetOfMember(document, path, "key");
    return badFile(label, offset === undefined ? undefined : lines.linePos(offset).line, problem);
  };
  const { issues } = result.error;
  if (!namesAll || issues.length === 1) throw errorOf(problemOf(result.error, parsed, outline));
  const textOf = (issue: (typeof issues)[number]): string =>
    errorOf(problemOf(new z.ZodError([issue]), parsed, outline)).message;
  const { hint = "" } = badFile(label, undefined, "");
  throw new StackferryError("config", `${label}: ${issues.length} mistakes`, {
    hint,
    faults: firstLines(issues, MAX_MISTAKES, textOf),
  });
}

function toValue(document: Document.Parsed, label: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch {
    // The library's message quotes the alias, but no content of the file belongs in a message.
    throw badFile(label, undefined, "it uses YAML aliases, which are not allowed here");
  }
}

function badFile(label: string, line: number | undefined, problem: string): StackferryError {
  const location = line === undefined ? label : `${label}:${line}`;
  return new StackferryError("config", `${location}: ${problem}`, {
    hint: "correct the file and run the command again",
  });
}

interface FileProblem {
  /** The member whose line is reported. */
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/**
 * Returns the problem that best explains why the schema refuses a file. A mistyped member is both unknown and missing, so issues
 * about unknown members come first. Messages show names of members, never values.
 * @param parsed the file's content
 */
function problemOf(error: z.ZodError, parsed: unknown, schema: z.ZodType): FileProblem {
  const unknown = error.issues.find(({ code }) => code === "unrecognized_keys");
  const issue = deepestIssue(unknown ?? error.issues[0]);
  if (issue === undefined) return { path: [], text: "the file: not understood" };
  const { path } = issue;
  const where = path.length === 0 ? "the file" : path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") return { path, text: `${where}: ${problemText(issue, parsed)}` };
  const [name = ""] = issue.keys;
  const isOwnMessage = !issue.message.startsWith("Unrecognized key");
  const text = isOwnMessage ? problemText(issue, parsed) : unknownMember(name, path, error, schema);
  return { path: [...path, name], text: `${where}: ${text}` };
}

function problemText(issue: z.core.$ZodIssue, parsed: unknown): string {
  const { code, path } = issue;
  if (code === "invalid_type" && valueAt(parsed, path) === undefined) return "it is missing";
  if (code === "invalid_union" && "options" in issue && issue.options !== undefined) {
    return `write ${issue.options.map(String).join(" or ")}`;
  }
  return issueText(issue);
}

function unknownMember(name: string, path: readonly PropertyKey[], error: z.ZodError, schema: z.ZodType): string {
  const missing = error.issues.flatMap(({ code, path: at }) =>
    code === "invalid_type" && at.length === path.length + 1 ? [String(at.at(-1))] : [],
  );
  // The name may be the end of a longer name (`url` for `baseUrl`). `closestName` would not find two such names similar.
  const longer = missing.find((member) => member.toLowerCase().endsWith(name.toLowerCase()));
  const meant = longer ?? closestName(name, missing) ?? closestName(name, membersAt(schema, path));
  return `unknown member "${name}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`;
}

type SchemaNode = z.core.JSONSchema.BaseSchema;

function membersAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const nodes = path.reduce<SchemaNode[]>((found, part) => found.flatMap((node) => childrenOf(node, part)), [root]);
  return nodes.flatMap(branchesOf).flatMap(({ properties = {} }) => Object.keys(properties));
}

function branchesOf(node: SchemaNode): SchemaNode[] {
  const branches = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return [node, ...branches.filter(isSchemaNode).flatMap(branchesOf)];
}

function childrenOf(node: SchemaNode, part: PropertyKey): SchemaNode[] {
  return branchesOf(node)
    .flatMap(({ properties, additionalProperties, items }) =>
      typeof part === "number" ? items : (properties?.[String(part)] ?? additionalProperties),
    )
    .filter(isSchemaNode);
}

function isSchemaNode(value: unknown): value is SchemaNode {
  return typeof value === "object" && value !== null;
}

function valueAt(parsed: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined),
    parsed,
  );
}

/** Returns the most specific issue. In a union, the issue with the longest path belongs to the branch that the user meant. */
function deepestIssue(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code === "invalid_union") {
    const inner = issue.errors.flat().sort((left, right) => right.path.length - left.path.length)[0];
    return inner === undefined ? issue : deepestIssue({ ...inner, path: [...issue.path, ...inner.path] });
  }
  return issue?.code === "invalid_key" ? { ...issue, message: issue.issues[0]?.message ?? issue.message } : issue;
}

/** Returns a double-quoted YAML scalar. Characters that could end the line or steer a terminal are escaped. */
export function quoteYamlText(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xff_ff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
