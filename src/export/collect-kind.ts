import { definedMembers } from "../core/collections.ts";
import { StackferryError, type ErrorCode } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { KindStatus, ManifestWarning } from "../core/manifest.ts";
import type { Outcome } from "../core/outcome.ts";
import type { ListGap, ListedRecord, StackClient } from "../core/ports.ts";
import { joinNames } from "../core/text/format.ts";
import { labelOf, type KindName } from "../core/records/record.ts";
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

export interface CollectedKind<Result = RedactedRecord> {
  readonly kind: ResourceKind;
  readonly status: KindStatus;
  readonly records: readonly Result[];
  readonly failures: readonly Outcome[];
  readonly warnings: readonly ManifestWarning[];
  /** The error, if the whole kind could not be read. */
  readonly error?: StackferryError;
  /**
   * Number of records that the stack counts but does not list. The number can be 0: if records were deleted while the list was
   * read, others may be missing.
   */
  readonly unlisted?: number;
  /**
   * True if the stack may have records of this kind, or members of them, that could not be read. With an `error`, the export goes on
   * without the kind.
   */
  readonly isIncomplete?: boolean;
  /** The error for a record that must not be archived. No record of the kind is then archived. */
  readonly refusal?: StackferryError;
}

export interface CollectInput<Result> {
  readonly client: StackClient;
  /**
   * The ids to read, by kind, for kinds whose records can be read one by one. An empty list means that the stack has no record of
   * the kind. For a kind that has no entry here, the stack's list is read, if the stack offers one.
   */
  readonly ids: Readonly<Record<KindName, readonly string[]>>;
  readonly encode: Encoder<Result>;
}

/**
 * Reads all records of one kind, and encodes them while the rest of the list arrives. If the stack does not offer the kind, or if
 * the reading fails, throws no error: the status of the result says so.
 * @throws StackferryError `usage` if ids are requested of a kind that the stack does not offer
 */
export async function collectKind<Result>(
  kind: ResourceKind,
  input: CollectInput<Result>,
  context: RunContext,
): Promise<CollectedKind<Result>> {
  const nothing = { kind, records: [], failures: [], warnings: [] };
  const notOffered = { ...nothing, status: "not-offered" } as const;
  const source = sourceOf(kind, input);
  if (source === "not-offered") return notOffered;
  if (source === "not-requested") return notRequested(kind, input.ids);
  const read = await readRecords(kind, input, source, context);
  const { records, failures, error, refusal } = read;
  if (error?.code === "not-offered" && !isListedEverywhere(kind, input.client.identity.variant)) {
    const needsIds = kind.listing === "by-id" && source === "list";
    return { ...(needsIds ? notRequested(kind, input.ids) : notOffered), failures };
  }
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

/** The source of a kind's records: the stack's list, or one request for each requested id. */
type Source = "list" | "ids";

function sourceOf(
  kind: ResourceKind,
  { client, ids }: Pick<CollectInput<unknown>, "client" | "ids">,
): Source | "not-offered" | "not-requested" {
  const { variant } = client.identity;
  const routes = kind.routes[variant];
  const requestedIds = ids[kind.name];
  const requestsAny = requestedIds !== undefined && requestedIds.length > 0;
  if (routes[kind.listing === "by-id" ? "get" : "list"] === undefined) {
    if (!requestsAny) return "not-offered";
    const message = `${kind.name} were requested by id, but a ${variant} stack has no ${kind.name}`;
    throw new StackferryError("usage", message, { hint: `Leave out --${kind.singular}.` });
  }
  if (kind.listing !== "by-id" || (requestedIds === undefined && routes.list !== undefined)) return "list";
  return requestsAny ? "ids" : "not-requested";
}

/** Returns the result for a kind that cannot be listed, and of which no id was requested. */
function notRequested(kind: ResourceKind, ids: CollectInput<unknown>["ids"]): CollectedKind<never> {
  const warnings = ids[kind.name] === undefined ? [idsNeeded(kind)] : [];
  return { kind, records: [], failures: [], warnings, status: "not-requested" };
}

/** Returns the result for a kind whose records were all read. */
function collectedOf<Result>(
  kind: ResourceKind,
  { records, failures, gap, watch }: RecordsRead<Result>,
  single: SingleReadsResult,
): CollectedKind<Result> {
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

/** The records of a kind that were read before the end of the list, or before an error ended the reading. */
interface RecordsRead<Result> {
  readonly records: Result[];
  readonly failures: Outcome[];
  readonly watch: ListWatch;
  gap?: ListGap;
  /** The error that ended the reading. */
  error?: StackferryError;
  /** The error for a record that must not be archived. */
  refusal?: StackferryError;
}

/** Reads the list of a kind, or its records one by one, and encodes the records in sequence while the rest arrives. */
async function readRecords<Result>(
  kind: ResourceKind,
  { client, ids, encode }: CollectInput<Result>,
  source: Source,
  context: RunContext,
): Promise<RecordsRead<Result>> {
  const read: RecordsRead<Result> = { records: [], failures: [], watch: createListWatch(kind) };
  const { records, failures, watch } = read;
  const addEncoded = (encoded: EncodingResult<Result>, listed: ListedRecord): void => {
    if (encoded.status === "ready") {
      if (source === "list") watch.see(listed, records.length, encoded.name);
      records.push(encoded.record);
    }
    if (encoded.status === "unreadable")
      failures.push(failedOutcome(kind, encoded.id, "unreadable-record", encoded.problem));
  };
  try {
    const pages =
      source === "ids"
        ? byId(kind, ids[kind.name] ?? [], client, failures, context)
        : client.list(kind, context.signal, (gap) => (read.gap = gap));
    for await (const page of pages) {
      for (const listed of page) {
        // After a refused record, the list is still read to its end: a failure of the list is the more serious error.
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

/** Returns an error that concerns the stack or a record; throws any other error, which ends the export. */
function stackError(error: unknown): StackferryError {
  if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
  return error;
}

/** Codes of errors that concern one record only. */
const ABOUT_ONE: ReadonlySet<string> = new Set(["not-found", "rejected", "unreadable-record"]);

async function* byId(
  kind: ResourceKind,
  ids: readonly string[],
  client: StackClient,
  failures: Outcome[],
  context: RunContext,
): AsyncGenerator<readonly ListedRecord[]> {
  const reads = [...new Set(ids)].map(async (id) => {
    try {
      return [{ value: await client.get(kind, id, context.signal) }];
    } catch (error) {
      if (!(error instanceof StackferryError) || !ABOUT_ONE.has(error.code)) throw error;
      failures.push(failedOutcome(kind, id, error.code, error.message));
      return [];
    }
  });
  for (const page of await Promise.all(reads)) yield page;
}

function failedOutcome(kind: ResourceKind, id: string, code: ErrorCode, message: string): Outcome {
  return { kind: kind.name, name: "", sourceId: id, action: "export", status: "failed", code, message };
}

function gapWarning(kind: ResourceKind, gap: ListGap): ManifestWarning {
  const next = gap.isChanging ? "run again" : "correct or delete them in the web interface";
  return { code: "list-incomplete", message: `${gapText(kind, gap)}: they are not in the export; ${next}` };
}

/** Maximum number of records that one warning names. */
const MAX_NAMED = 10;

function unknownFormWarning(kind: ResourceKind, unknown: readonly RecordOfUnknownForm[]): ManifestWarning {
  const recordNames = joinNames(unknown, MAX_NAMED, ({ why, ...record }) => `"${labelOf(record)}" (${why})`);
  const message = `these ${kind.name} have a form that this program does not know, so parts of them may be missing (a newer release may know the form): ${recordNames}`;
  return { code: "unknown-form", message };
}

/** Returns the warning that the stack does not list a kind, so that the user has to give the ids. */
function idsNeeded(kind: ResourceKind): ManifestWarning {
  const where = `in the configuration (${kind.singular}Ids: [] says that there are none)`;
  const message = `this deployment does not list ${kind.name}, or uses another word than segments.${kind.name}; name those to back up with --${kind.singular} ID, or ${where}`;
  return { code: "ids-needed", message };
}
