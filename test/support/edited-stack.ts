import type { JsonObject } from "../../src/core/json.ts";
import type { StackLog } from "../../src/core/diff.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { findRecordsInBackups, type FoundRecords } from "../../src/history/find-records.ts";
import { readLog, type LogRequest } from "../../src/history/read-log.ts";
import { buildRedactor } from "../../src/library/options/option-values.ts";
import { sampleRecord } from "./archive-samples.ts";
import { seededRandom } from "./seeded-random.ts";
import { nameAt, backupStage, type BackupStage } from "./backup-stage.ts";

const DAY = 86_400_000;

/** Reads the log of the stack `s`. */
export function logOf({ context }: Pick<BackupStage, "context">, request: Partial<LogRequest> = {}): Promise<StackLog> {
  const whole = { stack: "s", kinds: [], filter: { include: [], exclude: [] }, redact: buildRedactor(undefined) };
  return readLog({ ...whole, ...request }, { ...context, events: () => {} });
}

/** Searches the backups of the stack `s` for records with a name or id. */
export function searchBackups({ context }: Pick<BackupStage, "context">, name: string): Promise<FoundRecords[]> {
  return findRecordsInBackups(["s"], [name], buildRedactor(undefined), { ...context, events: () => {} });
}

export function tile(id: string, more: JsonObject = {}): JsonObject {
  return { id, name: `tile ${id}`, w: 6, ...more };
}

/** Makes a dashboard with tiles. */
export function board(id: string, name: string, tiles: readonly JsonObject[] = [tile("t1"), tile("t2")]): StackRecord {
  return sampleRecord(id, "dashboards", { name, tiles: [...tiles] });
}

/** Makes random edits to a stack and backs it up every day. Returns the edits, too: backup, record, change. */
export async function editedStack(seed: number, days: number): Promise<{ stage: BackupStage; edits: string[] }> {
  const random = seededRandom(seed);
  const stage = await backupStage();
  let ids = 0;
  const make = (name: string): StackRecord => board(`id${(ids += 1)}`, name, [tile("t1"), tile("t2", { note: 0 })]);
  const records = new Map(Array.from({ length: 20 }, () => make(`D${ids}`)).map((record) => [record.id, record]));
  const gone: string[] = [];
  const edits: string[] = [];
  await stage.backup({ records: [...records.values()] });
  for (let day = 1; day <= days; day += 1) {
    await stage.clock.advance(DAY);
    const today = new Set<string>();
    const touched = new Set<string>();
    // A record of the same name is made on a later day: on the same day it would count as the record made again.
    const goneToday: string[] = [];
    for (let edit = random.below(4); edit > 0; edit -= 1) {
      const free = [...records.values()].filter(({ id }) => !touched.has(id));
      const record = random.pick(free);
      touched.add(record.id);
      const chance = random.next();
      if (chance < 0.2) {
        records.delete(record.id);
        goneToday.push(record.name);
        today.add(`removed ${record.id} ${record.name}`);
      } else if (chance < 0.4) {
        const again = make(gone.pop() ?? `D${ids}`);
        records.set(again.id, again);
        touched.add(again.id);
        today.add(`added ${again.id} ${again.name}`);
      } else if (chance < 0.6) {
        const renamed = { ...record, name: `${record.name}+`, body: { ...record.body, name: `${record.name}+` } };
        records.set(record.id, renamed);
        today.add(`changed ${record.id} ${renamed.name} was ${record.name} /name`);
      } else {
        const body = { ...record.body, tiles: [tile("t1"), tile("t2", { note: day })] };
        records.set(record.id, { ...record, body });
        today.add(`changed ${record.id} ${record.name} /tiles/1/note`);
      }
    }
    gone.push(...goneToday);
    await stage.backup({ records: [...records.values()] });
    for (const edit of today) edits.push(`${nameAt(day * 24)} ${edit}`);
  }
  return { stage, edits: edits.toSorted() };
}

/** Returns the changes of a log in the form of the list of edits. */
export function loggedEdits({ entries }: StackLog): string[] {
  return entries
    .flatMap(({ archive, changes }) =>
      changes.map(({ change, leftId, rightId, name, formerName, members }) => {
        const was = formerName === undefined ? "" : ` was ${formerName}`;
        const places = members.map(({ pointer }) => ` ${pointer}`).join("");
        return `${archive} ${change} ${rightId ?? leftId} ${name}${was}${places}`;
      }),
    )
    .toSorted();
}
