import { ARCHIVE_FORMAT_VERSION } from "../domain/manifest.ts";
import type { JsonObject } from "../domain/json.ts";
import { unknownArchive } from "./archive-errors.ts";

type Upgrade = (manifest: JsonObject) => JsonObject;

/** Version → what makes a manifest of that version one of the next. Nothing came before version 1. */
const upgrades: ReadonlyMap<number, Upgrade> = new Map();

/** A manifest in the form of this program's version. Refuses later versions by name, and what has no version at all. */
export function upgradeManifest(manifest: JsonObject): JsonObject {
  const version = manifest["formatVersion"];
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    throw unknownArchive("the manifest's formatVersion is not a version number");
  }
  if (version > ARCHIVE_FORMAT_VERSION) {
    const known = String(ARCHIVE_FORMAT_VERSION);
    throw unknownArchive(
      `the archive has format version ${String(version)}; this program reads up to ${known}: upgrade stackferry`,
      "upgrade stackferry to a release that reads this version",
    );
  }
  let upgraded = manifest;
  for (let from = version; from < ARCHIVE_FORMAT_VERSION; from += 1) {
    upgraded = upgrades.get(from)?.(upgraded) ?? upgraded;
  }
  return upgraded;
}
