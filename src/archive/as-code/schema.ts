import { z } from "zod";
import { editorSchema } from "../../core/schemas.ts";
import type { KindName } from "../../core/records/record.ts";
import { findKind, kinds } from "../../kinds/registry.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";

const schemas = new Map(kinds.map(({ name, code }) => [name, z.looseObject(code.shape)]));

export function codeSchema(kind: KindName): z.ZodType {
  return schemas.get(kind) ?? z.looseObject({});
}

/** The keys are "", for the file itself, and lists of children, such as `tiles`. */
export function knownMembers(kind: KindName): ReadonlyMap<string, readonly string[]> {
  const shape = schemas.get(kind)?.shape ?? {};
  const children = (findKind(kind)?.children ?? []).flatMap(({ member }) => {
    const itemMembers = itemShape(shape[member]);
    return itemMembers === undefined ? [] : [[member, Object.keys(itemMembers)] as const];
  });
  return new Map<string, readonly string[]>([["", Object.keys(shape)], ...children]);
}

function itemShape(schema: z.core.$ZodType | undefined): z.ZodRawShape | undefined {
  const array = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return array instanceof z.ZodArray && array.element instanceof z.ZodObject ? array.element.shape : undefined;
}

export function codeJsonSchema(kind: KindName): Readonly<Record<string, unknown>> {
  return editorSchema(codeSchema(kind), kind, `One of the ${kind} of a stack, as stackferry apply reads it`);
}

/** A local path, because anyone could claim a public address. */
const ADDRESS = "../../node_modules/stackferry/schema/code";

export function schemaComment({ name }: ResourceKind): string {
  return `# yaml-language-server: $schema=${ADDRESS}/${name}.schema.json`;
}

export function kindOfSchemaComment(text: string): ResourceKind | undefined {
  const [, name] =
    /^\uFEFF?#\s*yaml-language-server:\s*\$schema=\S*?schema\/code\/([a-z-]+)\.schema\.json/.exec(text) ?? [];
  return kinds.find((kind) => kind.name === name);
}
