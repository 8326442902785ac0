/** A span as restic writes it: `1y5m7d2h`, where `m` is months. Its groups are the years, months, days and hours. */
export const CALENDAR_SPAN = /^(?=\d)(?:(\d{1,4})y)?(?:(\d{1,4})m)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?$/;

type KeepCount = number | "all";

/** How many backups to keep for each reason, as in restic: none for 0 or undefined, every one for "all". */
export interface RetentionPolicy {
  /** The number of newest backups to keep. Of equal ones in a row, only the newest counts. */
  readonly last?: KeepCount;
  /** The number of latest hours with a backup, of which the newest backup is kept. Days and ISO weeks are in UTC. */
  readonly hourly?: KeepCount;
  readonly daily?: KeepCount;
  readonly weekly?: KeepCount;
  readonly monthly?: KeepCount;
  readonly yearly?: KeepCount;
  /** Keeps every backup within this span, counted back from the newest one: a `CALENDAR_SPAN`. */
  readonly within?: string;
}
