const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;

/** A moment for people: `2026-01-02 03:04:05 UTC`. What is no moment in UTC is shown as it stands. */
export function timeText(moment: string): string {
  return moment.replace(TIME, "$1 $2 UTC");
}
