import type { Code } from "../core/codes.ts";
import { z } from "zod";
import { stackIdentitySchema } from "../core/schemas.ts";
import { StackferryError } from "../core/errors.ts";
import { canonicalJson, isJsonArray, isJsonObject, ownMember, type JsonObject } from "../core/json.ts";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_FORMAT_VERSION,
  type Manifest,
  type ManifestEntry,
  type ManifestHeader,
} from "../core/manifest.ts";
import { findJsonFlaw } from "../core/text/json-scan.ts";
import { decodeJson } from "./record.ts";
import { contentDigest, KIND_NAME_PATTERN, MANIFEST_PATH, entryPath } from "./entry.ts";
import { damagedArchiveError, safeForMessage, unknownArchiveError } from "./errors.ts";
import { manifestBounds, type ArchiveLimits } from "./limits.ts";

const kind = z.string().regex(KIND_NAME_PATTERN, "not the name of a kind");
const digest = z.string().regex(/^[0-9a-f]{64}$/, "not a sha256 in hex");
const count = z.int().min(0);

const summary = z.strictObject({
  status: z.enum(["complete", "partial", "failed", "not-offered", "not-requested"]),
  count,
  unlisted: count.exactOptional(),
  error: z.string().exactOptional(),
  code: z.string().exactOptional(),
});

const entry = z.strictObject({
  path: z.string(),
  kind,
  id: z.string(),
  name: z.string(),
  bytes: count,
  sha256: digest,
});

const redaction = z.strictObject({ path: z.string(), pointer: z.string(), rule: z.string() });
// Another version of this program can write codes that this version lacks.
const anyCode = z.custom<Code>((code) => typeof code === "string");
const warning = z.strictObject({ code: anyCode, message: z.string() });

const missing = z.strictObject({
  code: z.string(),
  kind: kind.exactOptional(),
  count: count.exactOptional(),
  message: z.string(),
});

const manifestSchema = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  formatVersion: z.int().min(1),
  createdAt: z.iso.datetime(),
  createdBy: z.strictObject({ name: z.string(), version: z.string() }),
  source: stackIdentitySchema,
  stack: z.string().exactOptional(),
  filter: z
    .strictObject({
      include: z.array(z.string()),
      only: z.array(z.string()).exactOptional(),
      exclude: z.array(z.string()),
    })
    .exactOptional(),
  contentDigest: digest,
  kinds: z.record(kind, summary),
  entries: z.array(entry),
  redactions: z.array(redaction),
  warnings: z.array(warning),
  notHeld: z.array(missing).exactOptional(),
}) satisfies z.ZodType<Manifest>;

/**
 * @throws StackferryError `archive-unknown` for a foreign file or a later format version; `archive-damaged` for an invalid manifest
 */
export function parseManifest(bytes: Uint8Array, limits: ArchiveLimits): Manifest {
  const decoded = decodeJson(bytes, manifestBounds(limits));
  if (!decoded.ok)
    throw (decoded.isJson ? damagedArchiveError : unknownArchiveError)(`${MANIFEST_PATH} ${decoded.problem}`);
  const json = isJsonObject(decoded.value) ? decoded.value : {};
  if (json["format"] !== ARCHIVE_FORMAT)
    throw unknownArchiveError(`${MANIFEST_PATH} is not of the format ${ARCHIVE_FORMAT}`);
  refuseOtherVersion(json);
  const listed = listProblem(json, limits);
  if (listed !== undefined) throw contradictionError(listed);
  const result = manifestSchema.safeParse(json);
  if (!result.success) throw contradictionError(schemaProblems(result.error));
  const problem = manifestProblem(result.data, limits);
  if (problem !== undefined) throw contradictionError(problem);
  return result.data;
}

/** Stops at the first invalid item: zod would record a problem for each item. */
function listProblem(json: JsonObject, limits: ArchiveLimits): string | undefined {
  const lists = [
    { member: "entries", schema: entry, most: limits.maxEntries - 1, tooLong: `more than ${limits.maxEntries} files` },
    { member: "redactions", schema: redaction, most: limits.maxNotes },
    { member: "warnings", schema: warning, most: limits.maxNotes },
    { member: "notHeld", schema: missing, most: limits.maxNotes },
  ];
  const { kinds } = json;
  if (isJsonObject(kinds) && Object.keys(kinds).length > MAX_KINDS) return `more than ${MAX_KINDS} kinds`;
  for (const { member, schema, most, tooLong = `more than ${most} ${member}` } of lists) {
    const list = json[member];
    if (!isJsonArray(list)) continue;
    if (list.length > most) return tooLong;
    for (const [index, item] of list.entries()) {
      const { error } = schema.safeParse(item);
      if (error !== undefined) return schemaProblems(error, [member, index]);
    }
  }
  return undefined;
}

const MAX_KINDS = 1000;

function contradictionError(problem: string): StackferryError {
  return damagedArchiveError(`${MANIFEST_PATH}: ${problem}`);
}

function refuseOtherVersion(manifest: JsonObject): void {
  const version = manifest["formatVersion"];
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    throw unknownArchiveError("the manifest's formatVersion is not a number");
  }
  if (version > ARCHIVE_FORMAT_VERSION) {
    throw unknownArchiveError(
      `the archive has format version ${version}; this program reads up to ${ARCHIVE_FORMAT_VERSION}: upgrade stackferry`,
      "upgrade stackferry to a release that reads this version",
    );
  }
}

const MAX_PROBLEMS = 3;

/** Quotes no value of the manifest. */
function schemaProblems(error: z.ZodError, within: readonly PropertyKey[] = []): string {
  const first = error.issues.slice(0, MAX_PROBLEMS);
  const problems = first.map(({ path, message }) => `${[...within, ...path].join(".")}: ${message}`);
  return safeForMessage(problems.join("; "));
}

/**
 * @throws StackferryError `incomplete` if a reader would refuse the manifest; `usage` if it is too large; `secret-in-output`
 */
export function encodeManifest(header: ManifestHeader, entries: readonly ManifestEntry[], limits: ArchiveLimits) {
  const { source, redactions, warnings, notHeld } = header;
  const digest = contentDigest(entries);
  const version = { format: ARCHIVE_FORMAT, formatVersion: ARCHIVE_FORMAT_VERSION };
  refuseCredential(source.baseUrl);
  // `JSON.stringify` leaves out members that are undefined.
  const manifest: JsonObject = JSON.parse(JSON.stringify({ ...header, ...version, contentDigest: digest, entries }));
  const result = manifestSchema.safeParse(manifest);
  const problem = result.success ? manifestProblem(result.data, limits) : schemaProblems(result.error);
  if (problem !== undefined || !result.success) throw unreadableManifestError(problem ?? "");
  const json = canonicalJson(manifest);
  const bytes = Buffer.from(json, "utf8");
  if (bytes.length > limits.maxManifestBytes) throw tooLong(`${limits.maxManifestBytes} bytes`);
  const notes = Math.max(redactions.length, warnings.length, notHeld?.length ?? 0);
  if (notes > limits.maxNotes) throw tooLong(`${limits.maxNotes} redactions or warnings`);
  const bounds = manifestBounds(limits);
  if (findJsonFlaw(json, bounds) !== undefined) throw tooLong(`${bounds.maxValues} values`);
  return { bytes, contentDigest: digest };
}

function refuseCredential(baseUrl: string): void {
  if (!holdsCredential(baseUrl)) return;
  throw new StackferryError(
    "secret-in-output",
    "the stack's base URL contains a credential, and no archive may contain one",
    {
      hint: "take the user and password out of baseUrl and configure them as credentials",
    },
  );
}

function holdsCredential(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { username, password } = new URL(baseUrl);
  return username !== "" || password !== "";
}

function unreadableManifestError(problem: string): StackferryError {
  return new StackferryError("incomplete", `the archive would not be readable: manifest.json: ${problem}`, {
    hint: "nothing was written; please report this",
  });
}

function tooLong(most: string): StackferryError {
  const hint = "split the export with --kinds or --include";
  return new StackferryError("usage", `the archive's manifest is over ${most}`, { hint });
}

function manifestProblem(manifest: Manifest, limits: ArchiveLimits): string | undefined {
  return (
    sizeProblem(manifest.entries, limits) ??
    entriesProblem(manifest.entries, limits) ??
    kindsProblem(manifest) ??
    redactionsProblem(manifest) ??
    (holdsCredential(manifest.source.baseUrl) ? "source.baseUrl contains a credential" : undefined) ??
    (contentDigest(manifest.entries) === manifest.contentDigest
      ? undefined
      : "contentDigest does not match the entries")
  );
}

function sizeProblem(entries: readonly ManifestEntry[], limits: ArchiveLimits): string | undefined {
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  return total > limits.maxTotalBytes ? `more than ${limits.maxTotalBytes} bytes in all` : undefined;
}

function entriesProblem(entries: readonly ManifestEntry[], limits: ArchiveLimits): string | undefined {
  const seen = new Set<string>();
  for (const { path, kind, id, bytes } of entries) {
    // A manifest must not point a record to another record's file.
    if (path !== entryPath(kind, id))
      return `entry ${safeForMessage(path)} has another path than its kind and id require`;
    if (seen.has(path)) return `entry ${path} is listed twice`;
    if (bytes > limits.maxEntryBytes) return `entry ${path} is over ${limits.maxEntryBytes} bytes`;
    seen.add(path);
  }
  return undefined;
}

function kindsProblem({ kinds, entries }: Manifest): string | undefined {
  const counted = new Map(Object.keys(kinds).map((kind) => [kind, 0]));
  for (const { kind } of entries) counted.set(kind, (counted.get(kind) ?? 0) + 1);
  for (const [kind, count] of counted) {
    const stated = ownMember(kinds, kind)?.count;
    if (stated !== count) return `kinds.${kind}.count does not match its ${count} entries`;
  }
  return undefined;
}

function redactionsProblem({ redactions, entries }: Manifest): string | undefined {
  const paths = new Set(entries.map(({ path }) => path));
  const stray = redactions.findIndex(({ path }) => !paths.has(path));
  return stray < 0 ? undefined : `redactions.${stray}.path names no entry`;
}
