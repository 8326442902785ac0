import { expect, it } from "vitest";
import type { LoggedChange } from "../../../src/core/diff.ts";
import { recordKey } from "../../../src/core/records/record.ts";
import { disappearedText } from "../../../src/report/view/backup-changes.ts";

const alert = (change: "added" | "removed", id: string, dashboard: string): LoggedChange => ({
  kind: "alerts",
  name: "Busy",
  change,
  ...(change === "added" ? { rightId: id } : { leftId: id }),
  livesOn: [recordKey("dashboards", dashboard)],
  members: [],
});

it.each<[string, readonly LoggedChange[], boolean]>([
  ["made again on its dashboard", [alert("removed", "x", "a"), alert("added", "y", "a")], false],
  ["whose namesake was made on another dashboard", [alert("removed", "x", "a"), alert("added", "y", "b")], true],
  [
    "one of two, of which one was made again",
    [alert("removed", "x", "a"), alert("removed", "z", "a"), alert("added", "y", "a")],
    true,
  ],
])("an alert that was deleted, %s, counts as gone: %#", (_, records, isGone) => {
  const since = "production/20261121T041500Z.zip";
  const changes = { isSame: false, records, notRead: [], since, recordsBefore: { alerts: 2 } };
  expect(disappearedText({ alerts: 1 }, changes) !== "").toBe(isGone);
});
