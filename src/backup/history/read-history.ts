import { byCodeUnit } from "../../core/collections.ts";
import type { RunContext } from "../../core/events.ts";
import type { BackupDependencies } from "../dependencies.ts";
import { NOT_ENCRYPTED, openStoredArchive } from "../open-stored-archive.ts";
import { FROM_FUTURE, isFromFuture } from "./identity.ts";
import type { StoredArchive } from "../archive-names.ts";
import { storedArchives } from "../archive-names.ts";
import type { ArchiveContent, Baseline, SuspectReason } from "./suspect.ts";
import { shrinkReasons, shrinkageSince } from "./suspect.ts";
import type { ArchiveEntry } from "./status.ts";
import { readStatus } from "./status.ts";

/** A stored archive and what is known of it. */
export interface JudgedArchive extends StoredArchive {
  /** Absent where the archive cannot be read. */
  readonly entry?: ArchiveEntry;
  /** Why it is none of this stack's backups; it is never restored and never counts as the newest. */
  readonly refused?: string;
  /** It is refused only because its name says a time that is yet to come. */
  readonly isAhead?: boolean;
  /** Why it cannot be read, found without reading it whole. */
  readonly damaged?: string;
}

/** The archives of a stack, the newest first, and the last good content, by which the next one is judged. */
export interface StackHistory {
  readonly archives: readonly JudgedArchive[];
  readonly baseline: Baseline;
}

/**
 * Lists a stack's archives with what `status.json` says of them. An archive of which it says nothing is opened: its manifest
 * tells what it holds, and the archives before it whether it is suspect. So a lost status costs reading, not knowledge, except
 * of what was accepted.
 */
export async function readHistory(
  stack: string,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<StackHistory> {
  const { repository, minShare } = dependencies;
  const stored = await storedArchives(repository, stack, context.signal);
  const entries = await readStatus(stack, repository, context);
  const known = new Map(entries.map((entry) => [entry.archive, entry]));
  const archives: JudgedArchive[] = [];
  let baseline: Baseline = undefined;
  for (const archive of stored.toReversed()) {
    context.signal?.throwIfAborted();
    const judged = await judgeArchive(archive, known.get(archive.name), dependencies, context);
    const { entry } = judged;
    const isNew = entry !== undefined && known.get(archive.name) !== entry;
    const marked: JudgedArchive = isNew
      ? { ...judged, entry: { ...entry, ...comparison(entry.kinds, readable(baseline), minShare) } }
      : judged;
    archives.push(marked);
    if (isGood(marked)) baseline = marked.entry?.kinds ?? baseline ?? unreadable(marked);
  }
  // The newest good archive may be gone or damaged. What it held is still what the next one is compared with.
  const good = [...archives.filter(isGood).flatMap(({ entry }) => entry ?? []), ...entries.filter(isGoodEntry)];
  const newest = good.toSorted((left, right) => byCodeUnit(right.archive, left.archive))[0];
  return { archives: archives.toReversed(), baseline: newest?.kinds ?? baseline };
}

/** What comparing an archive with the last good one before it adds to its entry. */
export function comparison(
  kinds: ArchiveContent,
  baseline: Baseline,
  minShare: number,
): Pick<ArchiveEntry, "shrunkFrom" | "suspect"> {
  const shrunkFrom = shrinkageSince(kinds, baseline);
  const suspect = shrinkReasons(kinds, baseline, minShare);
  return {
    ...(Object.keys(shrunkFrom).length > 0 && { shrunkFrom }),
    ...(suspect.length > 0 && { suspect }),
  };
}

/** An archive that is neither refused nor suspect; whether it can be read is not said. */
export function isGood({ entry, refused }: JudgedArchive): boolean {
  return refused === undefined && (entry === undefined || isGoodEntry(entry));
}

function isGoodEntry({ suspect }: ArchiveEntry): boolean {
  return suspect === undefined || suspect.length === 0;
}

/** Why an archive is suspect; empty for one that is not. */
export function suspicion({ entry }: JudgedArchive): readonly SuspectReason[] {
  return entry?.suspect ?? [];
}

/** Of an archive that is there already it is no news that those before it cannot be read. */
function readable(baseline: Baseline): Baseline {
  return baseline === "unknown" ? undefined : baseline;
}

function unreadable({ encrypted }: JudgedArchive): Baseline {
  return encrypted ? "unknown" : undefined;
}

async function judgeArchive(
  archive: StoredArchive,
  entry: ArchiveEntry | undefined,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<JudgedArchive> {
  if (isFromFuture(archive, dependencies.clock.now())) {
    return { ...archive, refused: FROM_FUTURE, isAhead: true };
  }
  if (entry?.bytes === archive.bytes) return { ...archive, entry };
  const examined = await openStoredArchive(archive, { depth: "manifest" }, dependencies, context);
  if (examined.state === "refused") return { ...archive, refused: examined.problem };
  // Without the right key an encrypted archive looks damaged.
  const isDamaged = examined.state === "damaged" && (!archive.encrypted || examined.problem === NOT_ENCRYPTED);
  if (isDamaged) return { ...archive, damaged: examined.problem };
  if (examined.state !== "good" || examined.manifest === undefined) return archive;
  const { kinds, contentDigest } = examined.manifest;
  const content = Object.fromEntries(
    Object.entries(kinds).map(([kind, { error: _error, ...summary }]) => [kind, summary] as const),
  );
  const storedAt = new Date(archive.at).toISOString();
  const times = { storedAt, checkedAt: storedAt };
  return { ...archive, entry: { archive: archive.name, contentDigest, ...examined.file, ...times, kinds: content } };
}
