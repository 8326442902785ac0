import { z } from "zod";
import { isJsonObject, type JsonObject } from "../json.ts";
import { stackIdentitySchema } from "../schemas.ts";
import { baseSchema, childPairsSchema, type ReadFrom } from "./base.ts";

export const JOURNAL_FORMAT = "stackferry-journal";

/** The journal version that this program writes, and the only one it reads. */
export const JOURNAL_VERSION = 1;

const at = z.iso.datetime();
const key = z.templateLiteral([z.string(), "/", z.string()]);
const run = z.int().positive();

/** `link` adds deferred links. */
const write = z.enum(["create", "update", "link", "delete"]);
export type JournalWrite = z.output<typeof write>;

/** One digest if both sides of a part are equal; else the digests of the desired part and of the part that the target stored. */
const settledPart = z.union([z.string(), z.tuple([z.string(), z.string()])]);
export type SettledPart = ReadFrom<typeof settledPart>;

/** The redacted body of a record that a write replaces or deletes. */
const image = z.strictObject({
  key,
  name: z.string(),
  body: z.custom<JsonObject>(isJsonObject),
  /** Digest of the content as it was, with its secrets. */
  digest: z.string(),
});
export type Image = ReadFrom<typeof image>;

/** A write or a comparison settles the parts of a record and the pairs of its children. */
const settled = z.strictObject({
  /** By part; `null` if neither side has the part any more. */
  parts: z.record(z.string(), settledPart.nullable()),
  /** Parts that were found equal, and that the run did not write. */
  equal: z.record(z.string(), settledPart).optional(),
  /** Whether every part is settled now; absent if that has not changed. */
  whole: z.boolean().optional(),
  /** True if all earlier knowledge about the parts is void. */
  forgets: z.literal(true).optional(),
  children: childPairsSchema.optional(),
  /** The record's name at the source, if transforms rename it. */
  sourceName: z.string().optional(),
  /** True if links are still to be set. */
  lacksLinks: z.literal(true).optional(),
});
export type Settled = ReadFrom<typeof settled>;

/** The source and the target of a journal. */
const pair = {
  /** A stack, or the path of code files relative to the journal's folder. */
  source: z.union([stackIdentitySchema, z.strictObject({ files: z.string() })]),
  target: stackIdentitySchema,
  namePrefix: z.string().optional(),
};

/** One line of a journal. Times are ISO 8601, UTC. No line holds a credential. */
export const journalEntrySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("journal"), format: z.literal(JOURNAL_FORMAT), version: z.number(), ...pair }),
  z.strictObject({
    type: z.literal("begin"),
    at,
    run,
    /** When the archive was exported; absent for files. */
    archived: z.string().optional(),
    /** The archive's file name, or the folder of the files, for people. */
    from: z.string().optional(),
    undoes: run.optional(),
    /** The digest of the approved plan that the run carries out (`--plan`), and the digests of the plan's writes. */
    plan: z.string().optional(),
    writes: z.array(z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal("intent"),
    at,
    key,
    name: z.string(),
    write,
    targetId: z.string().optional(),
    /** Digest of the body that is sent; absent for a delete. */
    content: z.string().optional(),
    /** The record that an update replaces or a delete removes. */
    image: image.optional(),
    /**
     * For a create or a delete: ids of the target's records of the same name before the run. None of them is the result of the
     * create, or what somebody has made again after the delete.
     */
    namesakes: z.array(z.string()).optional(),
    /** For a create: the target's records on which the record lives, as an alert on its dashboard. */
    hosts: z.array(key).optional(),
    /** For a create: true if a later write adds links. */
    lacksLinks: z.literal(true).optional(),
    /** For an update: the parts of the target's record that it leaves as they are. */
    kept: z.array(z.string()).optional(),
    /** For an update: the records that the server may delete because of it. */
    dependents: z.array(image).optional(),
    /** Names of children with settings that no answer shows. The update may delete these, and no rollback brings them back. */
    mayLose: z.array(z.string()).optional(),
  }),
  settled.partial().extend({
    type: z.literal("done"),
    at,
    key,
    write,
    targetId: z.string(),
    /** Digest of the whole record as the target stored it; empty after a delete. */
    content: z.string(),
  }),
  settled.extend({ type: z.literal("seen"), key, name: z.string(), targetId: z.string() }),
  /** The target refused the write, so it was certainly not carried out. */
  z.strictObject({ type: z.literal("refused"), at, key, write, code: z.string() }),
  z.strictObject({ type: z.literal("end"), at }),
  /** A compacted journal begins with these lines. They hold the bases from the runs whose lines were removed. */
  z.strictObject({ type: z.literal("base"), key, base: baseSchema, lastWrite: z.string().optional() }),
]);
export type JournalEntry = ReadFrom<typeof journalEntrySchema>;

export type JournalPair = Omit<EntryOf<"journal">, "type" | "format" | "version">;

export type EntryOf<Type extends JournalEntry["type"]> = Extract<JournalEntry, { type: Type }>;

/** An append-only record of all runs from one source to one target. */
export interface Journal extends AsyncDisposable {
  /** The journal's path, for messages; undefined for a journal in memory. */
  readonly path?: string;
  /** The entries at the time when the journal was opened. */
  readonly entries: readonly JournalEntry[];
  /** Resolves once the entry is on disk. Throws `journal` if that fails: then nothing may be written to the target. */
  append(entry: JournalEntry): Promise<void>;
}

/** A journal in memory, for imports that nobody resumes or undoes. @param entries those of earlier runs; this run adds its own */
export function memoryJournal(entries: JournalEntry[] = []): Journal {
  return {
    entries: [...entries],
    append: async (entry) => void entries.push(entry),
    [Symbol.asyncDispose]: async () => {},
  };
}
