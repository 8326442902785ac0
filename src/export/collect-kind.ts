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

/** The records of one kind, and the failures to read some. */
export interface Collected<Result> {
  readonly kind: ResourceKind;
  readonly status: KindStatus;
  readonly records: readonly Result[];
  /** Records that could not be read. */
  readonly failures: readonly Outcome[];
  readonly warnings: readonly ManifestWarning[];
  /** Why the whole kind could not be read. */
  readonly error?: StackferryError;
  /**
   * Number of records that the stack counts but does not list; 0 if only a change during the reading shows that some may be
   * missing.
   */
  readonly unlisted?: number;
  /** True if the stack has more of this kind than could be read. */
  readonly isIncomplete?: boolean;
  /** The reason why a record must not be archived. The export then archives no record of the kind. */
  readonly refused?: StackferryError;
}

export interface CollectInput<Result> {
  readonly client: StackClient;
  /**
   * Ids of kinds that can be read one by one; an empty list means that the stack has none. Without this, such a kind is listed if
   * the stack offers a list.
   */
  readonly ids: Readonly<Record<KindName, readonly string[]>>;
  readonly encode: Encoder<Result>;
}

/**
 * Reads all records of one kind, and encodes them while others arrive. If the kind is not offered, or fails, the status says so,
 * and nothing is thrown.
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
  if (refused !== undefined) return { ...found, status: "failed", refused, ...(error !== undefined && { error }) };
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

/** Encodes the records in sequence while the list is still being read. */
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
      for (const { value, problem } of page) {
        // The list is still read to its end, because an incomplete list is the graver problem.
        if (refused !== undefined) continue;
        try {
          const encoded = await encode(kind, value, problem);
          if (encoded.status === "ready") {
            if (!readEach) watch.see(value, records.length, encoded.name);
            records.push(encoded.record);
          }
          if (encoded.status === "unreadable")
            failures.push(failedOutcome(kind, encoded.id, "unreadable-record", encoded.problem));
        } catch (error) {
          refused = stackError(error);
        }
      }
    }
    return { records, watch, ...(refused !== undefined && { refused }), ...(gap !== undefined && { gap }) };
  } catch (error) {
    return { records, watch, error: stackError(error), ...(refused !== undefined && { refused }) };
  }
}

/** Returns errors of the stack or of a record; any other error ends the export. */
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

/** Records named in a warning. */
const MAX_NAMED = 10;

function unknownFormWarning(kind: ResourceKind, unknown: readonly UnknownForm[]): ManifestWarning {
  const recordNames = joinNames(unknown, MAX_NAMED, ({ name, id, why }) => `"${name || id}" (${why})`);
  const message = `these ${kind.name} have a form that this program does not know, so parts of them may be missing: ${recordNames}`;
  return { code: "unknown-form", message };
}

/** Warns that a kind without a list cannot be read without ids. */
function idsNeeded(kind: ResourceKind): ManifestWarning {
  const where = `in the configuration (${kind.singular}Ids: [] says that there are none)`;
  const message = `this deployment does not list ${kind.name}, or uses another word than segments.${kind.name}; name the ones to back up with --${kind.singular} ID, or ${where}`;
  return { code: "ids-needed", message };
}
