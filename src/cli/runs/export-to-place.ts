import { archivePath } from "../archive-keys.ts";
import { localFiles } from "../local-files.ts";
import { openPlaceFor } from "../open-place.ts";
import type { Session } from "../session.ts";
import { splitPlace } from "../split-place.ts";
import type { ArchiveProtection } from "./export-to.ts";
import type { ExportResult } from "../../jobs/export-stack.ts";
import { StackferryError } from "../../domain/errors.ts";

/** An export that ends in an object store: written here first, then put there whole. */
export interface PlaceExport extends ArchiveProtection {
  /** `s3://bucket/prefix/name.zip`. */
  readonly out: string;
  readonly format: "zip" | "folder";
}

/** Runs the export to a temporary file, then stores it, the signature first. @throws StackferryError `usage` for a folder */
export async function exportToPlace(
  { out, format, encryption, signer }: PlaceExport,
  run: (path: string) => Promise<ExportResult>,
  session: Session,
): Promise<ExportResult> {
  if (format === "folder") {
    throw new StackferryError("usage", "an archive in folder form cannot be written to an object store", {
      hint: "write a zip there, or the folder to this machine",
    });
  }
  const { place: placeAddress, name: given } = splitPlace(out);
  const name = archivePath(given, encryption);
  await using place = await openPlaceFor(placeAddress, session);
  await using scratch = await localFiles.scratch();
  const path = scratch.file(encryption === undefined ? ".zip" : ".zip.age");
  const result = await run(path);
  if (signer !== undefined) await place.put(`${path}.sig`, `${name}.sig`, session.signal);
  await place.put(path, name, session.signal);
  return { ...result, archive: { ...result.archive, path: `${place.address}/${name}` } };
}
