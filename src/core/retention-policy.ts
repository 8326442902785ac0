/** A span as restic writes it: `1y5m7d2h`, where `m` is months. */
export const CALENDAR_SPAN = /^(?=\d)(?:(\d{1,4})y)?(?:(\d{1,4})m)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?$/;

type KeepCount = number | "all";

/** As in restic: a count of undefined or 0 keeps none. An empty policy keeps every backup. Days and ISO weeks are in UTC. */
export interface RetentionPolicy {
  /** Number of newest backups to keep; consecutive equal backups count as one, of which the newest is kept. */
  readonly last?: KeepCount;
  /** Number of hours whose newest backup is kept. */
  readonly hourly?: KeepCount;
  readonly daily?: KeepCount;
  readonly weekly?: KeepCount;
  readonly monthly?: KeepCount;
  readonly yearly?: KeepCount;
  readonly within?: string;
}
