/** A span as restic writes it: `1y5m7d2h`, where `m` is months. */
export const CALENDAR_SPAN = /^(?=\d)(?:(\d{1,4})y)?(?:(\d{1,4})m)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?$/;

type KeepCount = number | "all";

/** As in restic: undefined or 0 keeps none. An empty policy keeps every backup. */
export interface RetentionPolicy {
  /** Of consecutive equal backups, only the newest counts. */
  readonly last?: KeepCount;
  /** Keeps the newest backup of each hour. Days and ISO weeks are in UTC. */
  readonly hourly?: KeepCount;
  readonly daily?: KeepCount;
  readonly weekly?: KeepCount;
  readonly monthly?: KeepCount;
  readonly yearly?: KeepCount;
  readonly within?: string;
}
