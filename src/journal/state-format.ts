import type { StateRecords, StateSubject, RecordState } from "../core/plan/state.ts";
import type { RecordKey } from "../core/records/record.ts";
import { z } from "zod";
import { byCodeUnit } from "../core/collections.ts";
import { stackIdentitySchema } from "../core/records/stack-identity.ts";

/** The `format` of every state file. */
const STATE_FORMAT = "stackferry-state";

/** The only version of state files that this program reads and writes. */
const STATE_VERSION = 1;

/** A run that has begun to write. If the run was cut short, its journal has the results that the state lacks. */
export interface BegunRun {
  readonly journal: string;
  /** For records that the run may create: the key under which the state keeps the record, if it differs from the archive's key. */
  readonly identities: Readonly<Record<RecordKey, RecordKey>>;
}

export interface StateContent {
  readonly subject: StateSubject;
  readonly records: StateRecords;
  /** The run that was writing when the file was stored; absent if that run has saved its results. */
  readonly begun?: BegunRun;
}

/** Formats a state file, without its seal. */
export function formatState({ subject, records, begun }: StateContent): string {
  const sorted = [...records].toSorted(([left], [right]) => byCodeUnit(left, right));
  return JSON.stringify({
    format: STATE_FORMAT,
    version: STATE_VERSION,
    subject,
    ...(begun && { begun }),
    records: Object.fromEntries(sorted),
  });
}

/** Parses a state file. Returns a problem, for a message, if the text is no state of this version. */
export function parseState(text: string): StateContent | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "it is not JSON" };
  }
  if (!versionSchema.safeParse(value).success) return { problem: "it is not a state file of this version" };
  if (!isState(value)) {
    const [issue] = stateSchema.safeParse(value).error?.issues ?? [];
    return { problem: `its ${issue?.path.join(".") || "content"} has a form that stackferry never writes` };
  }
  const { subject, begun } = value;
  const records: StateRecords = new Map(Object.entries(value.records).filter(isEntry));
  const targets = new Set([...records].map(([key, { targetId }]) => `${key.split("/")[0]} ${targetId.toLowerCase()}`));
  if (targets.size < records.size) return { problem: "it maps two source records to one target record" };
  return { subject, records, ...(begun && { begun }) };
}

interface StateFile extends Omit<StateContent, "records"> {
  readonly records: Readonly<Record<string, RecordState>>;
}

function isState(value: unknown): value is StateFile {
  return stateSchema.safeParse(value).success;
}

function isEntry(entry: readonly [string, RecordState]): entry is [RecordKey, RecordState] {
  return KEY.test(entry[0]);
}

const KEY = /^[a-z-]+\/./s;
const keySchema = z.string().regex(KEY);
const digestSchema = z.string().regex(/^[0-9a-f]{16,64}$/);
const digestsSchema = z.strictObject({ whole: digestSchema, members: z.record(z.string(), digestSchema) });
const idSchema = z.string().min(1).max(1024);

const recordSchema = z.strictObject({
  targetId: idSchema,
  name: z.string(),
  sourceName: z.string().optional(),
  written: z.boolean(),
  sent: digestsSchema.optional(),
  stored: digestsSchema.optional(),
  lastWrite: digestSchema.optional(),
  former: z.strictObject({ sent: digestsSchema, stored: digestsSchema, replacedBy: digestSchema }).optional(),
  children: z.record(z.string(), z.record(z.string(), idSchema)).optional(),
});

const versionSchema = z.looseObject({ format: z.literal(STATE_FORMAT), version: z.literal(STATE_VERSION) });

/** The schema of a state file; src/core/plan/state.ts explains its members. */
const stateSchema = z.strictObject({
  format: z.literal(STATE_FORMAT),
  version: z.literal(STATE_VERSION),
  subject: z.strictObject({
    source: z.union([stackIdentitySchema, z.strictObject({ files: z.string() })]),
    target: stackIdentitySchema,
    namePrefix: z.string().optional(),
  }),
  begun: z.strictObject({ journal: z.string(), identities: z.record(keySchema, keySchema) }).optional(),
  records: z.record(keySchema, recordSchema),
});
