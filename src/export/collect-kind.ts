import { definedMembers } from "../core/collections.ts";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { KindStatus, ManifestWarning } from "../core/manifest.ts";
import type { Outcome } from "../core/outcome.ts";
import type { ListGap, ListedRecord, StackClient } from "../core/ports.ts";
import { joinNames } from "../core/text/format.ts";
import type { KindName } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { gapText } from "../kinds/list-answers.ts";
import type { Encoder } from "./encode-records.ts";
import type { ListWatch, SingleReads, UnknownForm } from "./read-one-by-one.ts";
import { completeFromSingle, watchList } from "./read-one-by-one.ts";

/** The result of reading the records of one kind. */
export interface Collected<Result> {
  readonly kind: ResourceKind;
  readonly status: KindStatus;
  readonly records: readonly Result[];
  /** Records that could not be read. */
  readonly failures: readonly Outcome[];
  readonly warnings: readonly ManifestWarning[];
  /** The error, if the whole kind could not be read. */
  readonly error?: StackferryError;
  /** Number of records that the stack counts but does not list; 0 if the list changed, so that an unknown number may be missing. */
  readonly unlisted?: number;
  /** True if the stack may have records of this kind, or members of them, that could not be read. */
  readonly isIncomplete?: boolean;
  /** The error for a record that must not be archived. No record of the kind is then archived. */
  readonly refused?: StackferryError;
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
 * the reading fails, the status says so and nothing is thrown.
 * @throws StackferryError `usage` if ids are requested of a kind that the stack does not offer
 */
export async function collectKind<Result>(
  kind: ResourceKind,
  input: CollectInput<Result>,
  context: RunContext,
): Promise<Collected<Result>> {
  const failures: Outcome[] = [];
  const routes = kind.routes[input.client.identity.variant];
  const namedIds = input.ids[kind.name];
  const requestedIds = namedIds ?? [];
  const byId = kind.listing === "by-id" && (namedIds !== undefined || routes.list === undefined);
  const found = { kind, records: [], failures, warnings: [] };
  const offered = routes[kind.listing === "by-id" ? "get" : "list"] !== undefined;
  if (!offered && requestedIds.length > 0) {
    const message = `${kind.name} were requested by id, but a ${input.client.identity.variant} stack has no ${kind.name}`;
    throw new StackferryError("usage", message, { hint: `Leave out --${kind.singular}.` });
  }
  if (!offered) return { ...found, status: "not-offered" };
  const unread = {
    ...found,
    status: "not-requested",
    warnings: namedIds === undefined ? [idsNeeded(kind)] : [],
  } as const;
  if (byId && requestedIds.length === 0) return unread;
  const { records, error, refused, gap, watch } = await readList(kind, input, byId, failures, context);
  if (error?.code === "not-offered" && kind.listing === "by-id" && !byId) return unread;
  if (error?.code === "not-offered") return { ...found, status: "not-offered" };
  if (refused !== undefined) return { ...found, status: "failed", refused, ...definedMembers({ error }) };
  if (error !== undefined) return { ...found, records, status: "failed", error };
  context.events({ type: "listed", kind: kind.name, count: records.length });
  let single: SingleReads;
  try {
    single = await completeFromSingle(kind, watch, { ...input, records }, context);
  } catch (cause) {
    return { ...found, status: "failed", refused: stackError(cause) };
  }
  const unknown = watch.unknown.length === 0 ? [] : [unknownFormWarning(kind, watch.unknown)];
  const missing =
    gap === undefined
      ? []
      : [{ code: "list-incomplete", message: `${gapText(kind, gap)}: they are not in the export` }];
  const warnings = [...missing, ...unknown, ...single.warnings];
  const isPartial = gap !== undefined || unknown.length > 0 || single.isIncomplete;
  return {
    ...found,
    records,
    warnings,
    status: failures.length > 0 ? "failed" : isPartial ? "partial" : "complete",
    ...(gap !== undefined && { unlisted: gap.hidden }),
    isIncomplete: isPartial,
  };
}

interface ListRead<Result> extends Pick<Collected<Result>, "error" | "refused"> {
  readonly records: Result[];
  readonly gap?: ListGap;
  readonly watch: ListWatch;
}

/** Reads the list of a kind, or its records one by one, and encodes the records in sequence while the rest arrives. */
async function readList<Result>(
  kind: ResourceKind,
  { client, ids, encode }: CollectInput<Result>,
  readEach: boolean,
  failures: Outcome[],
  context: RunContext,
): Promise<ListRead<Result>> {
  const records: Result[] = [];
  const watch = watchList(kind);
  let refused: StackferryError | undefined;
  let gap: ListGap | undefined;
  try {
    const pages = readEach
      ? byId(kind, ids[kind.name] ?? [], client, failures, context)
      : client.list(kind, context.signal, (found) => (gap = found));
    for await (const page of pages) {
      for (const listed of page) {
        // After a refused record, the list is still read to its end: a failure of the list is the more serious error.
        if (refused !== undefined) continue;
        try {
          const encoded = await encode(kind, listed.value, listed.problem);
          if (encoded.status === "ready") {
            if (!readEach) watch.see(listed, records.length, encoded.name);
            records.push(encoded.record);
          }
          if (encoded.status === "unreadable")
            failures.push(failedOutcome(kind, encoded.id, "unreadable-record", encoded.problem));
        } catch (error) {
          refused = stackError(error);
        }
      }
    }
    return { records, watch, ...definedMembers({ refused, gap }) };
  } catch (error) {
    return { records, watch, error: stackError(error), ...definedMembers({ refused }) };
  }
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

function failedOutcome(kind: ResourceKind, id: string, code: string, message: string): Outcome {
  return { kind: kind.name, name: "", sourceId: id, action: "export", status: "failed", code, message };
}

/** Maximum number of records that one warning names. */
const MAX_NAMED = 10;

function unknownFormWarning(kind: ResourceKind, unknown: readonly UnknownForm[]): ManifestWarning {
  const recordNames = joinNames(unknown, MAX_NAMED, ({ name, id, why }) => `"${name || id}" (${why})`);
  const message = `these ${kind.name} have a form that this program does not know, so parts of them may be missing: ${recordNames}`;
  return { code: "unknown-form", message };
}

/** Returns the warning that the stack does not list a kind, and that the user has to name its ids. */
function idsNeeded(kind: ResourceKind): ManifestWarning {
  const where = `in the configuration (${kind.singular}Ids: [] says that there are none)`;
  const message = `this deployment does not list ${kind.name}, or uses another word than segments.${kind.name}; name the ones to back up with --${kind.singular} ID, or ${where}`;
  return { code: "ids-needed", message };
}
