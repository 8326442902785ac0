import { z } from "zod";
import type { JsonObject } from "../json.ts";
import type { RecordKey } from "../records/record.ts";

/** The read-only type of what a schema reads, such as a line of a journal. */
export type ReadFrom<Schema extends z.ZodType> = DeeplyReadonly<z.output<Schema>>;

/** The body of a record is read-only by its own type. */
type DeeplyReadonly<Value> = Value extends object
  ? JsonObject extends Value
    ? Value
    : { readonly [Member in keyof Value]: DeeplyReadonly<Value[Member]> }
  : Value;

/** Pairs of a record's children by id space: id at the source → id on the target. */
export const childPairsSchema = z.record(z.string(), z.record(z.string(), z.string()));
export type ChildPairs = ReadFrom<typeof childPairsSchema>;

const partBaseSchema = z.strictObject({
  /** Digest of the part that the source's record asked for, in the target's words. */
  desired: z.string(),
  stored: z.string(),
  /** Whether an import wrote the part; false if it was found equal on both sides. */
  written: z.boolean(),
  /** When the archive that settled the part was exported: ISO 8601, UTC. Absent for files. */
  archived: z.string().optional(),
});

/** Digests of a part of a record (a tile, a filter, a member) when last settled. A side that lacked it has an empty digest. */
export type PartBase = ReadFrom<typeof partBaseSchema>;

export const baseSchema = z.strictObject({
  targetId: z.string(),
  name: z.string(),
  /** The record's name at the source, if transforms rename it. */
  sourceName: z.string().optional(),
  /** True if an import created or updated the record. */
  ours: z.boolean(),
  /** By member (`tags`), or by member and the child's id on the target (`tiles/65a…`). */
  parts: z.record(z.string(), partBaseSchema),
  /** Whether every part was settled once. If so, a part without digests was added later; if not, nothing is known of it. */
  whole: z.boolean(),
  children: childPairsSchema.optional(),
  /** When the newest archive that settled a part was exported. */
  archived: z.string().optional(),
  /** True if a link is still to be set, because the linked record did not exist yet. */
  lacksLinks: z.boolean().optional(),
});

/** Earlier runs stored this about a record of the source and its counterpart. */
export type Base = ReadFrom<typeof baseSchema>;

export type Counterparts = Pick<Base, "targetId" | "children">;

/** The bases of all records of a source, by the key of the source's record. */
export type Bases = ReadonlyMap<RecordKey, Base>;
