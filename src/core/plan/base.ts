import { z } from "zod";
import type { JsonObject } from "../json.ts";
import type { RecordKey } from "../records/record.ts";

export type ReadFrom<Schema extends z.ZodType> = DeeplyReadonly<z.output<Schema>>;

type DeeplyReadonly<Value> = Value extends object
  ? JsonObject extends Value
    ? Value
    : { readonly [Member in keyof Value]: DeeplyReadonly<Value[Member]> }
  : Value;

/** Id at the source → id on the target, by id space. */
export const childPairsSchema = z.record(z.string(), z.record(z.string(), z.string()));
export type ChildPairs = ReadFrom<typeof childPairsSchema>;

const partBaseSchema = z.strictObject({
  /** Digest of the source's part, with the target's ids; empty if the source lacked the part. */
  desired: z.string(),
  /** Digest of the target's part; empty if the target lacked the part. */
  stored: z.string(),
  written: z.boolean(),
  /** When the archive was exported: ISO 8601, UTC. Absent for code files. */
  archived: z.string().optional(),
});

/** Digests of one part on both sides, from the last import that wrote the part or found it equal. */
export type PartBase = ReadFrom<typeof partBaseSchema>;

export const baseSchema = z.strictObject({
  targetId: z.string(),
  name: z.string(),
  sourceName: z.string().optional(),
  ours: z.boolean(),
  /** The key is a member (`tags`), or a member and the child's id on the target (`tiles/65a…`). */
  parts: z.record(z.string(), partBaseSchema),
  /** True if every part has been settled. A part outside `parts` was then added later. */
  whole: z.boolean(),
  children: childPairsSchema.optional(),
  archived: z.string().optional(),
  /** True if links are missing, because the linked records did not exist yet. */
  lacksLinks: z.boolean().optional(),
});

export type Base = ReadFrom<typeof baseSchema>;

export type Counterparts = Pick<Base, "targetId" | "children">;

export type Bases = ReadonlyMap<RecordKey, Base>;
