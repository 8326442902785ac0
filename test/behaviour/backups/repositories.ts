import type { StackRecord } from "../../../src/core/records/record.ts";
import { sampleRecord } from "../../support/archive-samples.ts";
import {
  backupStage,
  BACKUPS_START,
  besideOf,
  copiesOf,
  HOUR,
  nameAt,
  stackContent,
  type BackupStage,
} from "../../support/backup-stage.ts";

/** Stores archives of hours 0, 24, 48 and 72, each with other content, and sets the clock to hour 73. */
export const fourDays = copiesOf(async () => {
  const stage = await backupStage();
  for (const hours of [0, 24, 48, 72]) await stage.store(nameAt(hours), stackContent(`hour ${hours}`));
  await stage.clock.advance(73 * HOUR);
  return stage;
});

/** Returns the hour of each archive, with the reasons to keep it, or `remove`: `72 last, 48 damaged, 24 remove`. */
export function verdictLine(verdicts: Readonly<Awaited<ReturnType<BackupStage["prune"]>>>): string {
  const words = verdicts.map(({ archive: { at }, action, reasons }) => {
    const why = action === "keep" ? reasons : [action, ...reasons];
    return [(at - BACKUPS_START) / HOUR, ...why].join(" ");
  });
  return words.join(", ");
}

/** Returns this number of records, whose ids begin with the prefix. */
export function records(count: number, kind = "dashboards", prefix = "id"): StackRecord[] {
  return Array.from({ length: count }, (_, index) => sampleRecord(`${prefix}${index}`, kind, { tiles: [] }));
}

/** Tears the entry of each archive. */
export async function tearEntries(stage: BackupStage): Promise<void> {
  for (const name of await stage.archives()) await stage.overwrite(besideOf(name, "json"), '{"format":"stack');
}
