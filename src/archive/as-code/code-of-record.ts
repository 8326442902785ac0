import { isJsonArray, isJsonObject, type JsonObject, objectsIn } from "../../core/json.ts";
import { recordKey, type StackRecord, type Variant } from "../../core/records/record.ts";
import type { ChildIds, ResourceKind } from "../../core/resource-kind.ts";
import { type NameLookup, toCode } from "./convert-record.ts";
import { type Label, labelRecords } from "./write/file-keys.ts";
import { findKind } from "../../kinds/registry.ts";
import { codeFileText } from "./write/yaml-text.ts";

/** Adds the marks `substitute` and `silenced`, which are not sent. @param variant undefined if the body is no answer of a stack */
export function codeOfRecord(
  kind: ResourceKind,
  body: JsonObject,
  { key }: Label,
  names: NameLookup,
  variant: Variant | undefined,
): JsonObject {
  const marked = variant === undefined ? body : markSubstitutes(kind, body, variant);
  const { name, ...rest } = toCode(kind, marked, names);
  const silence = kind.isSilenced?.(body) === true ? { silenced: true } : {};
  return { ...(name !== undefined && { name }), ...(key !== undefined && { key }), ...rest, ...silence };
}

/** Marks a child that the API showed in place of a hidden child (docs/api.md#hidden-tiles). */
const MARK = "substitute";

export function markSubstitutes(kind: ResourceKind, body: JsonObject, variant: Variant): JsonObject {
  return mapChildren(kind, body, (child, { isSubstitute }) =>
    isSubstitute?.[variant]?.(child) === true ? { ...child, [MARK]: true } : child,
  );
}

export function withoutMarks(kind: ResourceKind, code: JsonObject): JsonObject {
  return mapChildren(kind, code, ({ [MARK]: _mark, ...child }) => child);
}

export function markedIds(kind: ResourceKind, code: JsonObject): string[] {
  const children = kind.children.filter(({ isSubstitute }) => isSubstitute !== undefined);
  return children
    .flatMap(({ member }) => objectsIn(code[member]))
    .flatMap(({ id, [MARK]: mark }) => (mark === true && typeof id === "string" ? [id] : []));
}

function mapChildren(
  { children }: ResourceKind,
  body: JsonObject,
  change: (child: JsonObject, children: ChildIds) => JsonObject,
): JsonObject {
  return children
    .filter(({ isSubstitute }) => isSubstitute !== undefined)
    .reduce((changed, ofMember): JsonObject => {
      const items = changed[ofMember.member];
      if (!isJsonArray(items)) return changed;
      return {
        ...changed,
        [ofMember.member]: items.map((item) => (isJsonObject(item) ? change(item, ofMember) : item)),
      };
    }, body);
}

interface CodeFile {
  readonly path: string;
  readonly text: string;
}

/** Writing YAML is slow, so unchanged records reuse the text of the previous call. */
export function createCodeFiles(): (records: readonly StackRecord[], variant: Variant) => CodeFile[] {
  let before = new Map<string, string>();
  return (records, variant) => {
    const { labels, names } = labelRecords(records);
    const texts = new Map<string, string>();
    const files = records.flatMap((record) => {
      const kind = findKind(record.kind);
      const label = labels.get(recordKey(record.kind, record.id));
      if (kind === undefined || label === undefined) return [];
      const code = codeOfRecord(kind, record.body, label, names, variant);
      const key = `${kind.name} ${JSON.stringify(code)}`;
      const text = before.get(key) ?? codeFileText(kind, code);
      texts.set(key, text);
      return [{ path: `${kind.name}/${label.slug}.yaml`, text }];
    });
    before = texts;
    return files;
  };
}
