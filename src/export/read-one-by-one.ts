import { StackferryError, errorMessage } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { ManifestWarning } from "../core/manifest.ts";
import type { ListedRecord, StackClient } from "../core/ports.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { pluralize, joinNames } from "../core/text/format.ts";
import { MAX_SINGLE_READS, lacksOmittedMember, membersOmittedInList } from "../kinds/list-answers.ts";
import type { Encoder, RedactedRecord } from "./encode-records.ts";

/** `index` is the place among the encoded records. */
interface Listed {
  readonly id: string;
  readonly index: number;
}

export interface RecordOfUnknownForm {
  readonly id: string;
  readonly name: string;
  readonly why: string;
}

/** Notes all listed records, those that lack members, and those of an unknown form (docs/api.md#lists). */
export interface ListWatch {
  see(listed: ListedRecord, index: number, name: string): void;
  readonly listed: readonly Listed[];
  readonly omitted: readonly Listed[];
  readonly unknown: readonly RecordOfUnknownForm[];
  /** The largest record is the most likely to show that the list omits a member. */
  readonly fullest: () => (Listed & { readonly value: JsonObject }) | undefined;
}

export function createListWatch(kind: ResourceKind): ListWatch {
  const listed: Listed[] = [];
  const omitted: Listed[] = [];
  const unknown: RecordOfUnknownForm[] = [];
  let fullest: (Listed & { readonly value: JsonObject; readonly size: number }) | undefined;
  return {
    listed,
    omitted,
    unknown,
    fullest: () => fullest,
    see({ value, size = JSON.stringify(value).length }, index, name) {
      if (!isJsonObject(value) || typeof value["id"] !== "string") return;
      const record = { id: value["id"], index };
      listed.push(record);
      const why = kind.unknownForm?.(value);
      if (why !== undefined) unknown.push({ id: record.id, name, why });
      if (lacksOmittedMember(kind, value)) omitted.push(record);
      if (fullest === undefined || size > fullest.size) fullest = { ...record, value, size };
    },
  };
}

export interface SingleReadsResult {
  readonly warnings: readonly ManifestWarning[];
  readonly isIncomplete: boolean;
}

interface SingleInput {
  readonly client: StackClient;
  readonly encode: Encoder;
  readonly records: RedactedRecord[];
}

/**
 * Reads one record by its id, to learn whether the list omits members. Then reads up to `MAX_SINGLE_READS` records that lack members.
 * @throws StackferryError if a record cannot be encoded
 */
export async function completeFromSingleReads(
  kind: ResourceKind,
  watch: ListWatch,
  input: SingleInput,
  context: RunContext,
): Promise<SingleReadsResult> {
  const { client } = input;
  const sample = watch.fullest();
  if (kind.routes[client.identity.variant].get === undefined || sample === undefined) return NOTHING;
  const single = await readOne(kind, sample.id, client, context);
  // `not-offered` and `not-found` prove nothing: an older stack may lack the route, or somebody may have deleted the record.
  const isSilent = single.error === undefined || ["not-offered", "not-found"].includes(single.error.code);
  const warnings = isSilent || single.error === undefined ? [] : [notCompared(kind, single.error)];
  const members = single.body === undefined ? [] : membersOmittedInList(single.body, sample.value);
  const recordsToRead = members.length > 0 ? watch.listed : watch.omitted;
  if (recordsToRead.length === 0) return { warnings, isIncomplete: false };
  const unread = await replaceListed(kind, recordsToRead, input, context);
  if (unread === 0) return { warnings, isIncomplete: false };
  return { warnings: [...warnings, leftOutWarning(kind, members, unread, recordsToRead.length)], isIncomplete: true };
}

const NOTHING: SingleReadsResult = { warnings: [], isIncomplete: false };

/** Returns the number of records that could not be replaced. */
async function replaceListed(
  kind: ResourceKind,
  recordsToRead: readonly Listed[],
  { client, encode, records }: SingleInput,
  context: RunContext,
): Promise<number> {
  const replaced = await Promise.all(
    recordsToRead.slice(0, MAX_SINGLE_READS).map(async ({ id, index }) => {
      const { body } = await readOne(kind, id, client, context);
      const encoded = body === undefined ? undefined : await encode(kind, body);
      if (encoded?.status !== "ready") return false;
      records[index] = encoded.record;
      return true;
    }),
  );
  return recordsToRead.length - replaced.filter(Boolean).length;
}

async function readOne(kind: ResourceKind, id: string, client: StackClient, { signal }: RunContext) {
  try {
    return { body: await client.get(kind, id, signal) };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return { error };
  }
}

function notCompared({ name, singular }: ResourceKind, error: StackferryError): ManifestWarning {
  const message = `no ${singular} could be read alone (${errorMessage(error)}), so the list of ${name} may omit members unnoticed; run again when that works`;
  return { code: "list-incomplete", message };
}

function leftOutWarning(
  { name, singular }: ResourceKind,
  members: readonly string[],
  unread: number,
  count: number,
): ManifestWarning {
  const what = members.length === 0 ? "parts of some records" : joinNames(members, 5, (member) => member);
  const next =
    count > MAX_SINGLE_READS ? `the limit is ${MAX_SINGLE_READS}, so export in parts with --include` : "run again";
  const message = `the list of ${name} leaves out ${what}, and ${pluralize(unread, singular)} could not be read one by one: the export has them without these members; ${next}`;
  return { code: "list-incomplete", message };
}
