import {
  Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { schemaComment } from "../schema.ts";
import { escapeValue, fillValues, type CodeValues, type FilledScalar } from "../values.ts";

const LONG = 100;

/** Quotes protect invisible characters, and line breaks that YAML or an editor could change. */
const HIDDEN = /[\p{Cc}\p{Cs}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;

/** Cut off before parsing: the parser takes this line for a comment of the first member, which can move. */
const FIRST_LINE = /^\uFEFF?# yaml-language-server:.*\n+/;

/** Files for `apply` can contain merge keys (`<<`). */
const PARSING = { version: "1.2", merge: true } as const;

const FORMAT = { lineWidth: 0, version: "1.2", aliasDuplicateObjects: false } as const;

export function codeFileText(kind: ResourceKind, code: JsonObject): string {
  return `${schemaComment(kind)}\n${codeText(code)}`;
}

function codeText(code: JsonObject): string {
  const document = new Document(code, FORMAT);
  visit(document, { Scalar: (_, scalar) => escapeScalar(scalar) });
  styleTexts(document.contents);
  return document.toString(FORMAT);
}

/**
 * Does not change a file of equal content. Otherwise, keeps comments and unchanged placeholders if possible.
 * @param present must be readable as YAML, and its placeholders must have values
 */
export function updateCodeFileText(
  kind: ResourceKind,
  code: JsonObject,
  present: string,
  values: CodeValues = {},
): { readonly text: string; readonly replaced: readonly string[] } {
  const [firstLine = `${schemaComment(kind)}\n`] = FIRST_LINE.exec(present) ?? [];
  const document = parseDocument(present.replace(FIRST_LINE, ""), PARSING);
  const { filled } = fillValues(document, values);
  if (isSame(document.toJS(), code)) return { text: present, replaced: [] };
  const placeholders = filled.map(({ text }) => text);
  if (!isMap(document.contents) || (!hasComments(document) && filled.length === 0)) {
    return { text: firstLine + codeText(code), replaced: placeholders };
  }
  mergeMap(document.contents, code, document);
  const replaced = restorePlaceholders(document, filled);
  const text = firstLine + document.toString(FORMAT);
  const written = parseDocument(text, PARSING);
  fillValues(written, values);
  return isSame(written.toJS(), code) ? { text, replaced } : { text: codeFileText(kind, code), replaced: placeholders };
}

function restorePlaceholders(document: Document.Parsed, filled: readonly FilledScalar[]): string[] {
  const unchanged = new Map(
    filled.flatMap((entry) => (entry.scalar.value === entry.value ? [[entry.scalar, entry]] : [])),
  );
  const present = new Set<Scalar>();
  visit(document, {
    Scalar: (_, scalar) => {
      present.add(scalar);
      const placeholder = unchanged.get(scalar);
      if (placeholder !== undefined) scalar.value = placeholder.text;
      else escapeScalar(scalar);
    },
  });
  return filled.flatMap(({ scalar, text }) => (unchanged.has(scalar) && present.has(scalar) ? [] : [text]));
}

/** Escapes names of members, too, because `fillValues` fills in placeholders there. */
function escapeScalar(scalar: Scalar): undefined {
  if (typeof scalar.value === "string") scalar.value = escapeValue(scalar.value);
}

function isSame(value: unknown, code: JsonObject): boolean {
  return JSON.stringify(value) === JSON.stringify(code);
}

function styleTexts(node: unknown): void {
  if (isNode(node)) visit(node, { Scalar: (key, scalar) => (key === "key" ? undefined : styleText(scalar)) });
}

function styleText(scalar: Scalar): undefined {
  const { value } = scalar;
  delete scalar.type;
  if (typeof value !== "string") return;
  if (HIDDEN.test(value.replaceAll(/[\n\t]/g, ""))) scalar.type = "QUOTE_DOUBLE";
  else if (value.includes("\n") || value.length > LONG) scalar.type = "BLOCK_LITERAL";
}

function hasComments(document: Document.Parsed): boolean {
  const comments: (string | null | undefined)[] = [document.comment, document.commentBefore];
  const add = (node: unknown): void => {
    if (isNode(node)) comments.push(node.comment, node.commentBefore);
  };
  visit(document, { Node: (_, node) => add(node), Pair: (_, { key, value }) => (add(key), add(value)) });
  return comments.some((comment) => (comment ?? "").trim() !== "");
}

function mergeMap(map: YAMLMap, code: JsonObject, document: Document): void {
  const present = new Map(map.items.map((pair) => [nameOf(pair), pair]));
  map.items = Object.entries(code).map(([member, value]) => {
    const pair = present.get(member);
    if (pair === undefined) return document.createPair(member, freshNode(value ?? null, document));
    pair.value = mergeNode(pair.value, value ?? null, document);
    return pair;
  });
}

function nameOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

/** Reuses a node of the same type, because the node can have comments. */
function mergeNode(node: unknown, value: JsonValue, document: Document): Node {
  if (isMap(node) && isJsonObject(value)) {
    mergeMap(node, value, document);
    return node;
  }
  if (isSeq(node) && isJsonArray(value)) {
    mergeSequence(node, value, document);
    return node;
  }
  if (isScalar(node) && (typeof value !== "object" || value === null)) {
    if (node.value !== value) {
      node.value = value;
      delete node.source;
      styleText(node);
    }
    return node;
  }
  return freshNode(value, document);
}

function freshNode(value: JsonValue, document: Document): Node {
  const node = document.createNode(value);
  styleTexts(node);
  return node;
}

function mergeSequence(sequence: YAMLSeq, items: readonly JsonValue[], document: Document): void {
  const present = [...sequence.items];
  const isFree = new Set(present.keys());
  const takeItem = (position: number): unknown => {
    isFree.delete(position);
    return present[position];
  };
  const byName = items.map((item) => {
    const name = isJsonObject(item) ? item["name"] : item;
    const position = present.findIndex((node, index) => isFree.has(index) && itemName(node) === name);
    return position < 0 || name === undefined ? undefined : takeItem(position);
  });
  sequence.items = items.map((item, index) => {
    const node = byName[index] ?? (isFree.has(index) ? takeItem(index) : undefined);
    return mergeNode(node, item, document);
  });
}

function itemName(node: unknown): unknown {
  if (isScalar(node)) return node.value;
  return isMap(node) ? node.get("name") : undefined;
}
