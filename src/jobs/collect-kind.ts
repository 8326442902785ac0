import { StackferryError } from "../domain/errors.ts";
import type { JsonValue } from "../domain/json.ts";
import type { KindStatus, ManifestWarning } from "../domain/manifest.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { StackClient } from "../domain/ports.ts";
import type { KindName } from "../domain/record.ts";
import { isSelected } from "../domain/record-filter.ts";
import type { RecordFilter } from "../domain/record-filter.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { parseRecord } from "../kinds/parse-record.ts";
import type { JobContext } from "./job-context.ts";
import { packRecord } from "./packed-record.ts";
import type { PackedRecord } from "./packed-record.ts";

/** What a stack gave of one kind. */
export interface Collected {
  readonly kind: ResourceKind;
  readonly status: KindStatus;
  readonly records: readonly PackedRecord[];
  /** Records that could not be read. */
  readonly failures: readonly Outcome[];
  readonly warnings: readonly ManifestWarning[];
  /** Why the kind as a whole could not be read. */
  readonly error?: StackferryError;
}

/** What to read it with. */
export interface CollectInput {
  readonly client: StackClient;
  readonly ids: Readonly<Record<KindName, readonly string[]>>;
  readonly filter: RecordFilter;
}

/** Reads all records of one kind. A kind that is not offered, or fails, is told in the status, not thrown. */
export async function collectKind(kind: ResourceKind, input: CollectInput, context: JobContext): Promise<Collected> {
  const records: PackedRecord[] = [];
  const failures: Outcome[] = [];
  const wanted = input.ids[kind.name] ?? [];
  const found = { kind, records, failures, warnings: [] };
  const offered = kind.routes[input.client.identity.variant][kind.listing === "by-id" ? "get" : "list"] !== undefined;
  if (!offered && wanted.length > 0) {
    const message = `${kind.name} were asked for by id, and a ${input.client.identity.variant} stack has none`;
    throw new StackferryError("usage", message, { hint: `Leave out --${kind.singular}.` });
  }
  if (!offered) return { ...found, status: "not-offered" };
  if (kind.listing === "by-id" && wanted.length === 0) return { ...found, ...notRequested(kind) };
  try {
    const pages =
      kind.listing === "by-id"
        ? byId(kind, wanted, input.client, failures, context)
        : input.client.list(kind, context.signal);
    for await (const page of pages) for (const body of page) sortOut(kind, body, input.filter, records, failures);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    if (error.code === "interrupted") throw error;
    if (error.code === "not-offered") return { ...found, status: "not-offered" };
    return { ...found, status: "failed", error };
  }
  context.events({ type: "listed", kind: kind.name, count: records.length });
  return { ...found, status: failures.length > 0 ? "failed" : "complete" };
}

async function* byId(
  kind: ResourceKind,
  ids: readonly string[],
  client: StackClient,
  failures: Outcome[],
  context: JobContext,
): AsyncGenerator<readonly JsonValue[]> {
  const reads = [...new Set(ids)].map(async (id) => {
    try {
      return [await client.get(kind, id, context.signal)];
    } catch (error) {
      const aboutOne = error instanceof StackferryError && (error.code === "not-found" || error.code === "rejected");
      if (!aboutOne) throw error;
      failures.push(failure(kind, id, error.code, error.message));
      return [];
    }
  });
  for (const page of await Promise.all(reads)) yield page;
}

function sortOut(
  kind: ResourceKind,
  body: JsonValue,
  filter: RecordFilter,
  records: PackedRecord[],
  failures: Outcome[],
): void {
  const parsed = parseRecord(kind, body);
  if (!parsed.ok) failures.push(failure(kind, parsed.id, "unreadable-record", parsed.problem));
  else if (kind.notReplayed !== undefined || isSelected(parsed.record, filter)) records.push(packRecord(parsed.record));
}

function failure(kind: ResourceKind, id: string, code: string, message: string): Outcome {
  return { kind: kind.name, name: "", sourceId: id, action: "export", status: "failed", code, message };
}

/** The API has no list for this kind, so without ids there is nothing to read, and the user should know. */
function notRequested(kind: ResourceKind): Pick<Collected, "status" | "warnings"> {
  const message = `the API cannot list ${kind.name}; name the ones to back up with --${kind.singular} ID, or in the configuration`;
  return { status: "not-requested", warnings: [{ code: "ids-needed", message }] };
}
