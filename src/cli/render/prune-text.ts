import type { PruneVerdict, StayReason } from "../../jobs/prune-stack.ts";
import { sizeText } from "./size-text.ts";
import { renderTable } from "./table.ts";
import type { Cell } from "./table.ts";
import type { View } from "./theme.ts";

const WORDS: Readonly<Record<StayReason, string>> = {
  last: "last",
  hourly: "hourly",
  daily: "daily",
  weekly: "weekly",
  monthly: "monthly",
  yearly: "yearly",
  within: "within",
  "newest-good": "the newest good one",
  "no-good-archive": "no good backup is known",
  "not-recognised": "not recognised as a backup of ours",
};

/** Why each backup stays, and which go. */
export function pruneText(verdicts: readonly PruneVerdict[], dryRun: boolean, view: View): string {
  const { theme } = view;
  const rows = verdicts.map(({ archive, action, reasons }): Cell[] => [
    archive.name,
    sizeText(archive.bytes),
    action === "keep" ? { text: "keep", paint: theme.good } : { text: "remove", paint: theme.bad },
    reasons.map((reason) => WORDS[reason]).join(", "),
  ]);
  const columns = [{ title: "BACKUP" }, { title: "SIZE", align: "right" as const }, { title: "" }, { title: "WHY" }];
  const removed = verdicts.filter(({ action }) => action === "remove");
  const bytes = removed.reduce((sum, { archive }) => sum + archive.bytes, 0);
  const [verb, kept] = [dryRun ? "would be removed" : "removed", verdicts.length - removed.length];
  const summary = `${removed.length} ${verb} (${sizeText(bytes)}), ${kept} kept. Hours, days and weeks are those of UTC.\n`;
  return renderTable({ columns, rows }, view) + summary;
}

/** A verdict in the JSON document. */
export function describeVerdict({ archive, action, reasons }: PruneVerdict): Readonly<Record<string, unknown>> {
  const { name, stack, at, bytes } = archive;
  return { name, stack, time: new Date(at).toISOString(), bytes, action, reasons };
}
