import { z } from "zod";
import { closestName } from "../core/text/similarity.ts";

/** The problem of a file, in words, and its place. */
export interface FileProblem {
  /** The member whose line is reported. */
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/**
 * Returns the problem that best explains why the schema refuses a file. A mistyped member also causes a missing one, so unknown
 * members come first. Messages show names of members, never values.
 * @param parsed the file's content
 */
export function problemOf(error: z.ZodError, parsed: unknown, schema: z.ZodType): FileProblem {
  const unknown = error.issues.find(({ code }) => code === "unrecognized_keys");
  const issue = deepestIssue(unknown ?? error.issues[0]);
  const path = issue?.path ?? [];
  const where = path.length === 0 ? "the file" : path.map(String).join(".");
  if (issue?.code === "unrecognized_keys" && issue.message.startsWith("Unrecognized key")) {
    const [name = ""] = issue.keys;
    return { path: [...path, name], text: `${where}: ${unknownMember(name, path, error, schema)}` };
  }
  const culprit = issue?.code === "unrecognized_keys" ? [...path, ...issue.keys.slice(0, 1)] : path;
  if (issue?.code === "invalid_union" && "options" in issue && issue.options !== undefined) {
    return { path: culprit, text: `${where}: write ${issue.options.map(String).join(" or ")}` };
  }
  const isMissing = issue?.code === "invalid_type" && valueAt(parsed, path) === undefined;
  const message = isMissing ? "it is missing" : (issue?.message ?? "not understood").replace(/^Invalid input: /, "");
  return { path: culprit, text: `${where}: ${message}` };
}

function unknownMember(name: string, path: readonly PropertyKey[], error: z.ZodError, schema: z.ZodType): string {
  const missing = error.issues.flatMap(({ code, path: at }) =>
    code === "invalid_type" && at.length === path.length + 1 ? [String(at.at(-1))] : [],
  );
  const meant = closestName(name, missing) ?? closestName(name, membersAt(schema, path));
  return `unknown member "${name}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`;
}

type SchemaNode = z.core.JSONSchema.BaseSchema;

/** Lists the valid members at a place of the file. */
function membersAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const nodes = path.reduce<SchemaNode[]>((found, part) => found.flatMap((node) => childrenOf(node, part)), [root]);
  return nodes.flatMap(branchesOf).flatMap(({ properties = {} }) => Object.keys(properties));
}

function branchesOf(node: SchemaNode): SchemaNode[] {
  const branches = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return [node, ...branches.filter(isNode).flatMap(branchesOf)];
}

function childrenOf(node: SchemaNode, part: PropertyKey): SchemaNode[] {
  return branchesOf(node)
    .flatMap(({ properties, additionalProperties, items }) =>
      typeof part === "number" ? items : (properties?.[String(part)] ?? additionalProperties),
    )
    .filter(isNode);
}

function isNode(value: unknown): value is SchemaNode {
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
