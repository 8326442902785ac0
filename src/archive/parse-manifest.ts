import type { z } from "zod";
import type { JsonObject } from "../domain/json.ts";
import { ARCHIVE_FORMAT } from "../domain/manifest.ts";
import type { Manifest } from "../domain/manifest.ts";
import { damagedArchive, unknownArchive } from "./archive-errors.ts";
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

/** Holds what `manifest.json` says against its schema, and against itself. @throws StackferryError as `readManifest` does */
export function parseManifest(json: JsonObject, limits: ArchiveLimits): ParsedManifest {
  if (json["format"] !== ARCHIVE_FORMAT) throw unknownArchive(`manifest.json is not of the format ${ARCHIVE_FORMAT}`);
  const formatVersion = Number(json["formatVersion"]);
  const result = manifestSchema.safeParse(upgradeManifest(json));
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
