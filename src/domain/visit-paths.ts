import { isJsonArray, isJsonObject } from "./json.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/**
 * A path into a record, as the kinds declare it: members joined by dots, `[]` for each item of an array, for instance
 * `tiles[].config.sourceId` or `filters[].appliesToSourceIds[]`.
 */
export type MemberPath = string;

/** The step that stands for each item of an array. */
export const EACH = "[]";

/** Paths that share their beginnings, so that one walk visits what all of them lead to. */
export interface PathTree<Mark> {
  /** Of the paths that end here. */
  readonly marks: readonly Mark[];
  /** Where the others go on. */
  readonly branches: readonly { readonly step: string; readonly tree: PathTree<Mark> }[];
}

/** Puts paths together, each with a mark to know it by. */
export function pathTree<Mark>(paths: readonly (readonly [path: MemberPath, mark: Mark])[]): PathTree<Mark> {
  return growTree(paths.map(([path, mark]) => [steps(path), mark]));
}

/**
 * Visits the values that the paths of a tree lead to, without noting the places. `indices` are the visitor's for the length of
 * the call.
 */
export function visitTree<Mark>(
  body: JsonObject,
  tree: PathTree<Mark>,
  visit: (mark: Mark, value: JsonValue, indices: readonly number[]) => void,
): void {
  const indices: number[] = [];
  const walk = (value: JsonValue | undefined, { marks, branches }: PathTree<Mark>, depth: number): void => {
    if (value === undefined) return;
    if (marks.length > 0 && indices.length > depth) indices.length = depth;
    for (const mark of marks) visit(mark, value, indices);
    for (const { step, tree: branch } of branches) {
      if (step !== EACH) {
        if (isJsonObject(value) && Object.hasOwn(value, step)) walk(value[step], branch, depth);
      } else if (isJsonArray(value)) {
        for (let index = 0; index < value.length; index += 1) {
          // Written over: an array that grows and shrinks for every item is made anew each time.
          indices[depth] = index;
          walk(value[index], branch, depth + 1);
        }
      }
    }
  };
  walk(body, tree, 0);
}

/** The same for one path. */
export function visitValues(
  body: JsonObject,
  path: MemberPath,
  visit: (value: JsonValue, indices: readonly number[]) => void,
): void {
  visitTree(body, treeOf(path), (_, value, indices) => visit(value, indices));
}

const parsed = new Map<MemberPath, readonly string[]>();

/** Paths come from the kinds, so there are few of them, and each is walked for every record. */
export function steps(path: MemberPath): readonly string[] {
  const known = parsed.get(path);
  if (known) return known;
  const fresh = path.split(".").flatMap((part) => (part.endsWith(EACH) ? [part.slice(0, -EACH.length), EACH] : [part]));
  parsed.set(path, fresh);
  return fresh;
}

function growTree<Mark>(ways: readonly (readonly [way: readonly string[], mark: Mark])[]): PathTree<Mark> {
  const marks = ways.filter(([way]) => way.length === 0).map(([, mark]) => mark);
  const next = new Set(ways.flatMap(([way]) => way.slice(0, 1)));
  const branches = [...next].map((step) => {
    const along = ways.filter(([way]) => way[0] === step);
    return { step, tree: growTree(along.map(([[, ...rest], mark]) => [rest, mark] as const)) };
  });
  return { marks, branches };
}

const trees = new Map<MemberPath, PathTree<undefined>>();

function treeOf(path: MemberPath): PathTree<undefined> {
  const known = trees.get(path);
  if (known) return known;
  const fresh = pathTree([[path, undefined]]);
  trees.set(path, fresh);
  return fresh;
}
