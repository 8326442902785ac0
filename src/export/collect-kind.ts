import { definedMembers } from "../core/collections.ts";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { KindStatus, ManifestWarning } from "../core/manifest.ts";
import type { Outcome } from "../core/outcome.ts";
import type { ListGap, ListedRecord, StackClient } from "../core/ports.ts";
import { joinNames } from "../core/text/format.ts";
import { labelOf } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { gapText, isListedEverywhere } from "../kinds/list-answers.ts";
import type { EncodingResult, Encoder, RedactedRecord } from "./encode-records.ts";
import {
  completeFromSingleReads,
  createListWatch,
  type ListWatch,
  type SingleReadsResult,
  type RecordOfUnknownForm,
} from "./read-one-by-one.ts";

export interface CollectedKind {
  readonly kind: ResourceKind;
  readonly status: KindStatus;
  readonly records: readonly RedactedRecord[];
  readonly failures: readonly Outcome[];
  readonly warnings: readonly ManifestWarning[];
  readonly error?: StackferryError;
  /** Records that the stack counts but does not list; can be 0 if the list shrank during the read. */
  readonly unlisted?: number;
  /** True if records or members can be missing, or if the key has no right to read the kind. */
  readonly isIncomplete?: boolean;
  /** The error for a record that cannot be archived. The export then writes no archive. */
  readonly refusal?: StackferryError;
}

export interface CollectInput {
  readonly client: StackClient;
  readonly encode: Encoder;
}

/** @throws StackferryError `interrupted`; other errors are in the result */
export async function collectKind(
  kind: ResourceKind,
  input: CollectInput,
  context: RunContext,
): Promise<CollectedKind> {
  const nothing = { kind, records: [], failures: [], warnings: [] };
  const notOffered = { ...nothing, status: "not-offered" } as const;
  const { variant } = input.client.identity;
  if (kind.routes[variant].list === undefined) return notOffered;
  const read = await readRecords(kind, input, context);
  const { records, failures, error, refusal } = read;
  if (error?.code === "not-offered" && !isListedEverywhere(kind, variant)) return { ...notOffered, failures };
  const failed = { ...nothing, failures, status: "failed" } as const;
  if (refusal !== undefined) return { ...failed, refusal, ...definedMembers({ error }) };
  if (error !== undefined) return { ...failed, records, error };
  context.events({ type: "listed", kind: kind.name, count: records.length });
  try {
    const single = await completeFromSingleReads(kind, read.watch, { ...input, records }, context);
    return collectedOf(kind, read, single);
  } catch (cause) {
    return { ...failed, refusal: stackError(cause) };
  }
}

function collectedOf(
  kind: ResourceKind,
  { records, failures, gap, watch }: RecordsRead,
  single: SingleReadsResult,
): CollectedKind {
  const missing = gap === undefined ? [] : [gapWarning(kind, gap)];
  const unknown = watch.unknown.length === 0 ? [] : [unknownFormWarning(kind, watch.unknown)];
  const isIncomplete = gap !== undefined || unknown.length > 0 || single.isIncomplete;
  return {
    kind,
    records,
    failures,
    warnings: [...missing, ...unknown, ...single.warnings],
    status: failures.length > 0 ? "failed" : isIncomplete ? "partial" : "complete",
    ...(gap !== undefined && { unlisted: gap.hidden }),
    isIncomplete,
  };
}

interface RecordsRead {
  readonly records: RedactedRecord[];
  readonly failures: Outcome[];
  readonly watch: ListWatch;
  gap?: ListGap;
  error?: StackferryError;
  refusal?: StackferryError;
}

async function readRecords(
  kind: ResourceKind,
  { client, encode }: CollectInput,
  context: RunContext,
): Promise<RecordsRead> {
  const read: RecordsRead = { records: [], failures: [], watch: createListWatch(kind) };
  const { records, failures, watch } = read;
  const addEncoded = (encoded: EncodingResult, listed: ListedRecord): void => {
    if (encoded.status === "ready") {
      watch.see(listed, records.length, encoded.name);
      records.push(encoded.record);
    }
    if (encoded.status === "unreadable") failures.push(unreadableOutcome(kind, encoded.id, encoded.problem));
  };
  try {
    for await (const page of client.list(kind, context.signal, (gap) => (read.gap = gap))) {
      for (const listed of page) {
        // Reads the list to its end, because a failure of the list is the more serious error.
        if (read.refusal !== undefined) continue;
        try {
          addEncoded(await encode(kind, listed.value, listed.problem), listed);
        } catch (error) {
          read.refusal = stackError(error);
        }
      }
    }
  } catch (error) {
    read.error = stackError(error);
  }
  return read;
}

function stackError(error: unknown): StackferryError {
  if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
  return error;
}

function unreadableOutcome(kind: ResourceKind, id: string, message: string): Outcome {
  return {
    kind: kind.name,
    name: "",
    sourceId: id,
    action: "export",
    status: "failed",
    code: "unreadable-record",
    message,
  };
}

function gapWarning(kind: ResourceKind, gap: ListGap): ManifestWarning {
  const next = gap.isChanging ? "run again" : "correct or delete them in the web interface";
  return { code: "list-incomplete", message: `${gapText(kind, gap)}: they are not in the export; ${next}` };
}

const MAX_NAMED = 10;

function unknownFormWarning(kind: ResourceKind, unknown: readonly RecordOfUnknownForm[]): ManifestWarning {
  const recordNames = joinNames(unknown, MAX_NAMED, ({ why, ...record }) => `"${labelOf(record)}" (${why})`);
  const message = `these ${kind.name} have a form that this program does not know, so parts of them may be missing (a newer release may know the form): ${recordNames}`;
  return { code: "unknown-form", message };
}
