import type { JudgedArchive } from "./read-history.ts";

const DAY = 86_400_000;

/** A gap between two backups that is this many times as long as those before it is a jump. */
const JUMP_FACTOR = 3;

/** So many gaps before a gap say how long is usual. */
const USUAL_GAPS = 3;

/**
 * How much of the gap before each archive is a jump: a clock that was ahead, or a long time without backups, which nobody can
 * tell apart on a disk that has no clock of its own. 0 where the gap is usual. @param archives the newest first
 */
export function jumpsBefore(archives: readonly JudgedArchive[]): number[] {
  const gaps = archives.slice(0, -1).map((archive, index) => gapBetween(archive, archives[index + 1]));
  return gaps.map((gap, index) => {
    const usual = Math.max(0, ...gaps.slice(index + 1, index + 1 + USUAL_GAPS));
    return gap > Math.max(DAY, JUMP_FACTOR * usual) ? gap - usual : 0;
  });
}

/** The time of each archive, counted from the newest one without the jumps. */
export function timesWithoutJumps(archives: readonly JudgedArchive[]): ReadonlyMap<string, number> {
  const jumps = jumpsBefore(archives);
  let jumped = 0;
  return new Map(
    archives.map(({ name, at }, index) => {
      jumped += jumps[index - 1] ?? 0;
      return [name, at + jumped];
    }),
  );
}

/** From when the older one was last known to equal the stack: an unchanged stack stores nothing, and is backed up. */
function gapBetween(newer: JudgedArchive, older: JudgedArchive | undefined): number {
  if (older === undefined) return 0;
  const checkedAt = older.entry === undefined ? older.at : Date.parse(older.entry.checkedAt);
  const confirmedAt = checkedAt > older.at && checkedAt <= newer.at ? checkedAt : older.at;
  return newer.at - confirmedAt;
}
