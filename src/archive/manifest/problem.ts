import type { Manifest, ManifestEntry } from "../../core/manifest.ts";
import { entryPath } from "../record/entry-path.ts";
import { printable } from "../errors.ts";
import type { ArchiveLimits } from "../limits.ts";
import { contentDigest } from "./digest.ts";

/** The first contradiction or exceeded limit of a well-formed manifest; undefined where there is none. */
export function manifestProblem(manifest: Manifest, limits: ArchiveLimits): string | undefined {
  return (
    sizeProblem(manifest.entries, limits) ??
    entriesProblem(manifest.entries, limits) ??
    kindsProblem(manifest) ??
    redactionsProblem(manifest) ??
    (contentDigest(manifest.entries) === manifest.contentDigest
      ? undefined
      : "contentDigest does not match the entries")
  );
}

function sizeProblem(entries: readonly ManifestEntry[], limits: ArchiveLimits): string | undefined {
  if (entries.length + 1 > limits.maxEntries) return tooMany(limits);
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  return total > limits.maxTotalBytes ? `more than ${String(limits.maxTotalBytes)} bytes in all` : undefined;
}

function entriesProblem(entries: readonly ManifestEntry[], limits: ArchiveLimits): string | undefined {
  const seen = new Set<string>();
  for (const { path, kind, id, bytes } of entries) {
    // The path follows from kind and id, so that a manifest cannot point anywhere else, nor twice to one file.
    if (path !== entryPath(kind, id)) return `entry ${printable(path)} is not where its kind and id place it`;
    if (seen.has(path)) return `entry ${path} is listed twice`;
    if (bytes > limits.maxEntryBytes) return `entry ${path} is over ${String(limits.maxEntryBytes)} bytes`;
    seen.add(path);
  }
  return undefined;
}

function kindsProblem({ kinds, entries }: Manifest): string | undefined {
  const counted = new Map(Object.keys(kinds).map((kind) => [kind, 0]));
  for (const { kind } of entries) counted.set(kind, (counted.get(kind) ?? 0) + 1);
  for (const [kind, count] of counted) {
    const stated = Object.hasOwn(kinds, kind) ? kinds[kind]?.count : undefined;
    if (stated !== count) return `kinds.${kind}.count does not match its ${String(count)} entries`;
  }
  return undefined;
}

function redactionsProblem({ redactions, entries }: Manifest): string | undefined {
  const paths = new Set(entries.map(({ path }) => path));
  const stray = redactions.findIndex(({ path }) => !paths.has(path));
  return stray < 0 ? undefined : `redactions.${String(stray)}.path names no entry`;
}

export function tooMany({ maxEntries }: ArchiveLimits): string {
  return `more than ${String(maxEntries)} files`;
}
