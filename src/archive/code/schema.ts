import { z } from "zod";
import type { KindName } from "../../core/records/record.ts";
import { findKind, kinds } from "../../kinds/registry.ts";

const schemas = new Map(kinds.map(({ name, code }) => [name, z.looseObject(code.shape)]));

/** What may stand in the files of a kind. Loose: a newer server has members that this program does not know. */
export function codeSchema(kind: KindName): z.ZodType {
  return schemas.get(kind) ?? z.looseObject({});
}

/** The members that are known of a record's file, and of its children by the member that holds them. */
export function knownMembers(kind: KindName): ReadonlyMap<string, readonly string[]> {
  const shape = schemas.get(kind)?.shape ?? {};
  const children = (findKind(kind)?.children ?? []).flatMap(({ member }) => {
    const known = itemShape(shape[member]);
    return known === undefined ? [] : [[member, Object.keys(known)] as const];
  });
  return new Map<string, readonly string[]>([["", Object.keys(shape)], ...children]);
}

/** What the objects of an array hold. */
function itemShape(of: z.core.$ZodType | undefined): z.ZodRawShape | undefined {
  const array = of instanceof z.ZodOptional ? of.unwrap() : of;
  return array instanceof z.ZodArray && array.element instanceof z.ZodObject ? array.element.shape : undefined;
}

/** The JSON Schema of a kind's files, as the package ships it. Draft 7 is what YAML editors read best. */
export function codeJsonSchema(kind: KindName): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(codeSchema(kind), { io: "input", target: "draft-7" });
  return {
    $schema,
    title: kind,
    description: `One of the ${kind} of a stack, as stackferry apply reads it`,
    ...schema,
  };
}
