import type { z } from "zod";
import { isJsonObject } from "../domain/json.ts";
import { ARCHIVE_FORMAT } from "../domain/manifest.ts";
import type { Manifest } from "../domain/manifest.ts";
import { damagedArchive, unknownArchive } from "./archive-errors.ts";
import { decodeJson } from "./decode-json.ts";
import type { ArchiveLimits } from "./limits.ts";
import { manifestProblem } from "./manifest-problem.ts";
import { manifestSchema } from "./manifest-schema.ts";
import { printable } from "./printable.ts";
import { upgradeManifest } from "./upgrade.ts";

/** A manifest in today's form, and the version that it was written in. */
export interface ParsedManifest {
  readonly manifest: Manifest;
  readonly formatVersion: number;
}

/** Some problems tell enough; a mangled manifest has thousands. */
const MOST_PROBLEMS = 3;

/**
 * Reads `manifest.json`. Throws `archive-unknown` for what never was a manifest of ours or is a later version's, and
 * `archive-damaged` for one that does not hold together.
 */
export function parseManifest(bytes: Uint8Array, limits: ArchiveLimits): ParsedManifest {
  const decoded = decodeJson(bytes, limits.maxDepth);
  if (!decoded.ok) throw unknownArchive(`manifest.json ${decoded.problem}`);
  if (!isJsonObject(decoded.value) || decoded.value["format"] !== ARCHIVE_FORMAT) {
    throw unknownArchive(`manifest.json is not of the format ${ARCHIVE_FORMAT}`);
  }
  const formatVersion = Number(decoded.value["formatVersion"]);
  const result = manifestSchema.safeParse(upgradeManifest(decoded.value));
  if (!result.success) throw damagedArchive(`manifest.json: ${schemaProblems(result.error)}`);
  const problem = manifestProblem(result.data, limits);
  if (problem !== undefined) throw damagedArchive(`manifest.json: ${problem}`);
  return { manifest: result.data, formatVersion };
}

/** Where the manifest is wrong and what was expected there, never what stands there. */
export function schemaProblems(error: z.ZodError): string {
  const problems = error.issues.slice(0, MOST_PROBLEMS).map(({ path, message }) => `${path.join(".")}: ${message}`);
  return printable(problems.join("; "));
}
