import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isJsonArray } from "../../core/json.ts";
import { formatPointer, placesAt, withValueAt } from "../../core/records/member-path.ts";
import type { Adaptation } from "../../core/importing/plan.ts";
import { fitsGlob } from "../../core/records/record-filter.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { RenameRule, ReplaceRule, Transforms } from "../../core/importing/transforms.ts";
import { renamed } from "./rename.ts";
import { replaceText } from "./replace-text.ts";

/** A body as it goes on, and what was changed of it. */
export interface TransformedBody {
  readonly body: JsonObject;
  readonly changes: readonly Adaptation[];
  /** Pointers of texts that were left alone, as an id or a placeholder would not have stayed what it was. */
  readonly untouched: readonly string[];
}

/** The body with the rules of its kind applied. */
export function transformBody(kind: ResourceKind, body: JsonObject, transforms: Transforms): TransformedBody {
  const { replace = [] } = transforms;
  const named = transformName(kind, body, transforms.rename ?? []);
  const tagged = transformTags(kind, named.body, transforms.tags ?? {});
  const replaced = replace.length === 0 ? unchanged(tagged.body) : replaceTexts(kind, tagged.body, replace);
  return { ...replaced, changes: [...named.changes, ...tagged.changes, ...replaced.changes] };
}

/** The rules that can give a record of this kind another name. */
export function renamesOf({ name, labels }: ResourceKind, rules: readonly RenameRule[] = []): readonly RenameRule[] {
  return labels.name === undefined ? [] : rules.filter(({ kind = name }) => kind === name);
}

function unchanged(body: JsonObject): TransformedBody {
  return { body, changes: [], untouched: [] };
}

/** What has no name gets none: nobody would look for it by that. */
function transformName(kind: ResourceKind, body: JsonObject, rules: readonly RenameRule[]): TransformedBody {
  const member = kind.labels.name ?? "";
  const name = body[member];
  if (typeof name !== "string" || name === "") return unchanged(body);
  const given = renamed(name, renamesOf(kind, rules));
  if (given === name) return unchanged(body);
  const change = `"${given}" instead of "${name}"`;
  return { ...unchanged({ ...body, [member]: given }), changes: [{ pointer: `/${member}`, change }] };
}

function transformTags(
  kind: ResourceKind,
  body: JsonObject,
  { set = [], drop = [] }: NonNullable<Transforms["tags"]>,
): TransformedBody {
  const member = kind.labels.tags;
  if (member === undefined) return unchanged(body);
  const present = body[member];
  const tags: readonly JsonValue[] = isJsonArray(present) ? present : [];
  const isDropped = (tag: JsonValue): tag is string =>
    typeof tag === "string" && !set.includes(tag) && drop.some((pattern) => fitsGlob(pattern, tag));
  const dropped = tags.filter(isDropped);
  const added = set.filter((tag) => !tags.includes(tag));
  if (dropped.length + added.length === 0) return unchanged(body);
  const change = [...added.map((tag) => `+ ${tag}`), ...dropped.map((tag) => `- ${tag}`)].join(", ");
  const kept = tags.filter((tag) => !isDropped(tag));
  return { ...unchanged({ ...body, [member]: [...kept, ...added] }), changes: [{ pointer: `/${member}`, change }] };
}

function replaceTexts(kind: ResourceKind, body: JsonObject, rules: readonly ReplaceRule[]): TransformedBody {
  const untouched: string[] = [];
  const changes: Adaptation[] = [];
  let changed = body;
  for (const { value, tokens } of (kind.texts ?? []).flatMap((path) => placesAt(body, path))) {
    if (typeof value !== "string") continue;
    const replaced = replaceText(value, rules);
    const pointer = formatPointer(tokens);
    if (replaced === undefined) untouched.push(pointer);
    else if (replaced.text !== value) {
      changed = withValueAt(changed, tokens, replaced.text);
      changes.push({ pointer, change: replaced.used.map(({ from, to }) => `"${to}" for "${from}"`).join(", ") });
    }
  }
  return { body: changed, changes, untouched };
}
