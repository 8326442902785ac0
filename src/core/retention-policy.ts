/** A span as restic writes it: `1y5m7d2h`, where `m` is months. The groups of a match are the years, months, days and hours. */
export const CALENDAR_SPAN = /^(?=\d)(?:(\d{1,4})y)?(?:(\d{1,4})m)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?$/;

type KeepCount = number | "all";

/**
 * The number of backups to keep for each reason, as in restic. 0 or undefined: none. "all": every backup. A policy
 * without any reason keeps every backup.
 */
export interface RetentionPolicy {
  /** The number of newest backups to keep. Of consecutive equal backups, only the newest counts. */
  readonly last?: KeepCount;
  /** The number of latest hours with a backup; the newest backup of each hour is kept. Days and ISO weeks are in UTC. */
  readonly hourly?: KeepCount;
  readonly daily?: KeepCount;
  readonly weekly?: KeepCount;
  readonly monthly?: KeepCount;
  readonly yearly?: KeepCount;
  /** Keeps every backup within this span (`CALENDAR_SPAN`) before the newest backup. */
  readonly within?: string;
}
