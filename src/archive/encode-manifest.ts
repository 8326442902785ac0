import { canonicalJson } from "../domain/canonical-json.ts";
import { StackferryError } from "../domain/errors.ts";
import { ARCHIVE_FORMAT, ARCHIVE_FORMAT_VERSION } from "../domain/manifest.ts";
import type { Manifest, ManifestEntry, ManifestHeader } from "../domain/manifest.ts";
import { contentDigest } from "./content-digest.ts";
import type { ArchiveLimits } from "./limits.ts";
import { manifestProblem } from "./manifest-problem.ts";
import { manifestSchema } from "./manifest-schema.ts";
import { schemaProblems } from "./parse-manifest.ts";

/** A manifest's file, and the digest in it. */
export interface EncodedManifest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentDigest: string;
}

/**
 * Puts the manifest together and holds it against the reader's own rules, so that nothing is written that cannot be read.
 * Throws `incomplete` where header and records contradict each other, `usage` where there is too much of both,
 * `secret-in-output` for an address with a password.
 */
export function encodeManifest(
  header: ManifestHeader,
  entries: readonly ManifestEntry[],
  limits: ArchiveLimits,
): EncodedManifest {
  const { createdAt, createdBy, source, kinds, redactions, warnings } = header;
  const digest = contentDigest(entries);
  const version = { format: ARCHIVE_FORMAT, formatVersion: ARCHIVE_FORMAT_VERSION } as const;
  const about = { ...version, createdAt, createdBy, source, contentDigest: digest };
  const manifest: Manifest = { ...about, kinds, entries, redactions, warnings };
  refuseCredential(source.baseUrl);
  const result = manifestSchema.safeParse(manifest);
  const problem = result.success ? manifestProblem(result.data, limits) : schemaProblems(result.error);
  if (problem !== undefined || !result.success) throw refusal(problem ?? "");
  const bytes = Buffer.from(canonicalJson(JSON.parse(JSON.stringify(result.data))), "utf8");
  if (bytes.length > limits.maxManifestBytes) throw tooLong(limits.maxManifestBytes);
  return { bytes, contentDigest: digest };
}

function refuseCredential(baseUrl: string): void {
  if (!URL.canParse(baseUrl)) return;
  const { username, password } = new URL(baseUrl);
  if (username === "" && password === "") return;
  throw new StackferryError("secret-in-output", "the stack's base URL holds a credential, which no archive may hold", {
    hint: "take the user and password out of baseUrl and configure them as credentials",
  });
}

function refusal(problem: string): StackferryError {
  return new StackferryError("incomplete", `the archive would not be readable: manifest.json: ${problem}`, {
    hint: "nothing was written; please report this",
  });
}

function tooLong(most: number): StackferryError {
  const hint = "split the export with --kinds or --include";
  return new StackferryError("usage", `the archive's manifest is over ${String(most)} bytes`, { hint });
}
