import type { SandboxRecord } from "../store/record.ts";
import type { Alert } from "../schema/alert.ts";
import type { ManagedAlert } from "../schema/managed-alert.ts";

/** What the server adds to an alert. */
interface AlertOwn {
  readonly id: string;
  readonly teamId: unknown;
  readonly state: unknown;
  /** ISO 8601. */
  readonly createdAt: unknown;
  readonly updatedAt: string;
}

/** The record of an alert as `GET` gives it, members in the server's order (recordings 25 to 28, 221, 225). */
export function alertShape(alert: Alert, own: AlertOwn): SandboxRecord {
  const channels = alert.channels ?? (alert.channel === undefined ? [] : [alert.channel]);
  return {
    id: own.id,
    name: alert.name ?? null,
    message: alert.message ?? null,
    note: alert.note ?? null,
    threshold: alert.threshold,
    ...(alert.thresholdMax === undefined ? {} : { thresholdMax: alert.thresholdMax }),
    interval: alert.interval,
    ...scheduleShape(alert),
    numConsecutiveWindows: alert.numConsecutiveWindows ?? null,
    thresholdType: alert.thresholdType,
    source: alert.source,
    state: own.state,
    channel: channels[0],
    channels,
    teamId: own.teamId,
    ...watchedShape(alert),
    createdAt: own.createdAt,
    updatedAt: own.updatedAt,
  };
}

/** The record of an alert on managed: the members that were sent, null or not. */
export function managedAlertShape(alert: ManagedAlert, own: AlertOwn): SandboxRecord {
  const { name = null, message = null, note = null, numConsecutiveWindows = null, ...rest } = alert;
  const members = { ...own, name, message, note, numConsecutiveWindows, ...rest };
  return { id: own.id, ...Object.fromEntries(Object.entries(members).filter(([, content]) => content !== undefined)) };
}

/** Naming a start, even `null`, brings an offset of 0 along (recordings 221, 225). */
function scheduleShape({ scheduleOffsetMinutes, scheduleStartAt }: Alert) {
  if (scheduleStartAt !== undefined) return { scheduleOffsetMinutes: scheduleOffsetMinutes ?? 0, scheduleStartAt };
  return scheduleOffsetMinutes === undefined ? {} : { scheduleOffsetMinutes };
}

function watchedShape(alert: Alert) {
  if (alert.source === "tile") return { tileId: alert.tileId, dashboardId: alert.dashboardId };
  const { savedSearchId, groupBy } = alert;
  return groupBy === undefined ? { savedSearchId } : { savedSearchId, groupBy };
}
