import type { JsonObject, JsonValue } from "../core/json.ts";
import type { Redaction } from "../core/manifest.ts";
import type { EncodeRecord, EncodedRecord } from "../core/ports.ts";
import type { StackRecord, Variant } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { parseRecord } from "../kinds/descriptor-parts.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { DeadReferenceFinder } from "../references/dead-references.ts";
import { digestRecord, type RecordDigest } from "../references/record-content.ts";
import { substitutesIn } from "../references/hidden-content.ts";
import type { Selection } from "./selection.ts";

export interface RedactedRecord extends EncodedRecord {
  readonly redactions: readonly Omit<Redaction, "path">[];
  /** Names of the tiles that the API shows in place of tiles that it cannot show. */
  readonly substitutes: readonly string[];
  readonly isSilenced: boolean;
  readonly digest?: RecordDigest;
}

export function parseRedactedRecord({ entry: { kind, id, name }, bytes }: RedactedRecord): StackRecord {
  const body: JsonObject = JSON.parse(Buffer.from(bytes).toString("utf8"));
  return { kind, id, name, body };
}

export type EncodingResult =
  /** `name` is redacted. */
  | { readonly status: "ready"; readonly record: RedactedRecord; readonly name: string }
  | { readonly status: "left-out" }
  /** `problem` quotes no value of the record. */
  | { readonly status: "unreadable"; readonly id: string; readonly problem: string };

/**
 * @param problem why the parsed value differs from the server's answer; undefined if the value is exact
 * @throws StackferryError `protocol` for a record that cannot be archived
 */
export type Encoder = (kind: ResourceKind, value: JsonValue, problem?: string) => Promise<EncodingResult>;

export interface EncoderDependencies {
  readonly variant: Variant;
  readonly redact: Redactor;
  readonly encode: EncodeRecord;
  readonly selection: Selection;
  /** Digests take a seventh of an export's time, and only backups need them. */
  readonly makesDigests: boolean;
  /** Gets the selected records before redaction, and the ids of left-out records. */
  readonly survey: DeadReferenceFinder;
}

export function createEncoder({
  variant,
  redact,
  encode,
  selection,
  makesDigests,
  survey,
}: EncoderDependencies): Encoder {
  return async (kind, value, problem) => {
    const parsed = parseRecord(kind, value);
    if (!parsed.ok) return { status: "unreadable", id: parsed.id, problem: parsed.problem };
    const { record } = parsed;
    if (!selection.choose(record)) {
      survey.addId(kind.name, record.id);
      return { status: "left-out" };
    }
    survey.addRecord(record);
    if (problem !== undefined) return { status: "unreadable", id: record.id, problem: `record: ${problem}` };
    const { body, redactions } = await redact(kind, record.body);
    // The name is a part of the body, so redaction may have changed it.
    const name = redactions.length === 0 ? record.name : kind.nameOf(body);
    const redacted = { ...record, name, body };
    const encoded = encode(redacted);
    const about = { substitutes: substitutesIn(redacted, variant), isSilenced: kind.isSilenced?.(body) === true };
    const digest = makesDigests ? digestRecord(redacted) : undefined;
    return { status: "ready", name, record: { ...encoded, redactions, ...about, digest } };
  };
}
