import { StackferryError } from "../domain/errors.ts";
import type { KindStatus, ManifestWarning } from "../domain/manifest.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { ListedRecord, StackClient } from "../domain/ports.ts";
import type { KindName } from "../domain/record.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import type { JobContext } from "./job-context.ts";
import { createPressLine } from "./press-line.ts";
import type { PressLine } from "./press-line.ts";
import type { Press, Pressed } from "./press-records.ts";

/** What a stack gave of one kind. */
export interface Collected<Ready> {
  readonly kind: ResourceKind;
  readonly status: KindStatus;
  readonly records: readonly Ready[];
  /** Records that could not be read. */
  readonly failures: readonly Outcome[];
  readonly warnings: readonly ManifestWarning[];
  /** Why the kind as a whole could not be read. */
  readonly error?: StackferryError;
  /** Why a record of it cannot go any further, and with it none of them. */
  readonly refused?: StackferryError;
}

/** What to read it with. */
export interface CollectInput<Ready> {
  readonly client: StackClient;
  readonly ids: Readonly<Record<KindName, readonly string[]>>;
  readonly press: Press<Ready>;
}

/**
 * Reads all records of one kind, and makes them ready while others arrive. A kind that is not offered, or fails,
 * is told in the status, not thrown.
 */
export async function collectKind<Ready>(
  kind: ResourceKind,
  input: CollectInput<Ready>,
  context: JobContext,
): Promise<Collected<Ready>> {
  const failures: Outcome[] = [];
  const wanted = input.ids[kind.name] ?? [];
  const found = { kind, records: [], failures, warnings: [] };
  const offered = kind.routes[input.client.identity.variant][kind.listing === "by-id" ? "get" : "list"] !== undefined;
  if (!offered && wanted.length > 0) {
    const message = `${kind.name} were asked for by id, and a ${input.client.identity.variant} stack has none`;
    throw new StackferryError("usage", message, { hint: `Leave out --${kind.singular}.` });
  }
  if (!offered) return { ...found, status: "not-offered" };
  if (kind.listing === "by-id" && wanted.length === 0) return { ...found, ...notRequested(kind) };
  const line = createPressLine(kind, input.press);
  const error = await readList(kind, input, line, failures, context);
  if (error?.code === "not-offered") return { ...found, status: "not-offered" };
  const { pressed, refused } = await ended(line);
  if (refused !== undefined) return { ...found, status: "failed", refused, ...(error !== undefined && { error }) };
  for (const each of pressed) {
    if (each.status === "unreadable") failures.push(failure(kind, each.id, "unreadable-record", each.problem));
  }
  const records = pressed.flatMap((each) => (each.status === "ready" ? [each.record] : []));
  if (error !== undefined) return { ...found, records, status: "failed", error };
  context.events({ type: "listed", kind: kind.name, count: records.length });
  return { ...found, records, status: failures.length > 0 ? "failed" : "complete" };
}

/** What came off the line. A refusal is handed on, so that it is told when all lists have ended and nothing is under way. */
async function ended<Ready>(
  line: PressLine<Ready>,
): Promise<{ readonly pressed: readonly Pressed<Ready>[]; readonly refused?: StackferryError }> {
  try {
    return { pressed: await line.end() };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return { pressed: [], refused: error };
  }
}

/** Puts all that the stack has on the line, and answers why that ended early. */
async function readList<Ready>(
  kind: ResourceKind,
  { client, ids }: CollectInput<Ready>,
  line: PressLine<Ready>,
  failures: Outcome[],
  context: JobContext,
): Promise<StackferryError | undefined> {
  try {
    const pages =
      kind.listing === "by-id"
        ? byId(kind, ids[kind.name] ?? [], client, failures, context)
        : client.list(kind, context.signal);
    for await (const page of pages) for (const record of page) await line.add(record);
    return undefined;
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return error;
  }
}

async function* byId(
  kind: ResourceKind,
  ids: readonly string[],
  client: StackClient,
  failures: Outcome[],
  context: JobContext,
): AsyncGenerator<readonly ListedRecord[]> {
  const reads = [...new Set(ids)].map(async (id) => {
    try {
      return [{ value: await client.get(kind, id, context.signal) }];
    } catch (error) {
      const aboutOne = error instanceof StackferryError && (error.code === "not-found" || error.code === "rejected");
      if (!aboutOne) throw error;
      failures.push(failure(kind, id, error.code, error.message));
      return [];
    }
  });
  for (const page of await Promise.all(reads)) yield page;
}

function failure(kind: ResourceKind, id: string, code: string, message: string): Outcome {
  return { kind: kind.name, name: "", sourceId: id, action: "export", status: "failed", code, message };
}

/** The API has no list for this kind, so without ids there is nothing to read, and the user should know. */
function notRequested(kind: ResourceKind): Pick<Collected<never>, "status" | "warnings"> {
  const message = `the API cannot list ${kind.name}; name the ones to back up with --${kind.singular} ID, or in the configuration`;
  return { status: "not-requested", warnings: [{ code: "ids-needed", message }] };
}
