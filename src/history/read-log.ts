import { displayNameAt, openArchives, recordsAt, type OpenArchives } from "./open-archives.ts";
import type { BackupContext } from "../backup/backup-context.ts";
import { byCodeUnit } from "../core/collections.ts";
import type { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import type { KindName, RecordKey, StackRecord } from "../core/records/record.ts";
import { diffStacks, diffVersions } from "../diff/diff-stacks.ts";
import { sideOfArchive } from "../diff/side.ts";
import { isDamageError } from "../import/read/archive-records.ts";
import { knownKind } from "../kinds/registry.ts";
import { pluralize } from "../core/text/format.ts";
import { redactName } from "../redaction/redact-names.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { nameChangedReferences, recordsOfChangedReferences } from "../references/reference-names.ts";
import { hostKeysOf } from "../references/references.ts";
import {
  findDifferences,
  type BackupDifferences,
  type BackupRecord,
  type RecordDifference,
} from "./find-differences.ts";
import type { LogEntry, LoggedChange, MemberChange, StackLog } from "../core/diff.ts";
import { checkNames, selectedKeys } from "./find-records.ts";
import { readContents, type BackupContent, type TimeRange } from "./read-contents.ts";

export interface LogRequest extends TimeRange {
  readonly stack: string;
  /** Empty means all. */
  readonly kinds: readonly KindName[];
  /** A record that had a selected name in any backup is also reported under its other names. */
  readonly filter: RecordFilter;
  readonly redact: Redactor;
}

/**
 * @throws StackferryError `usage` if the stack has no backup, or like `checkNames`
 */
export async function readLog(request: LogRequest, context: BackupContext): Promise<StackLog> {
  const { stack } = request;
  const { contents, unused } = await readContents(stack, request, context);
  const searched = { contents, isWhole: unused.length === 0, where: stack };
  await checkNames(request.filter.include, searched, request.redact, context);
  const selected = selectedKeys(contents, request.filter, request.kinds);
  const total = contents.length;
  context.events({ type: "phase", phase: `comparing ${pluralize(total, "backup")}`, total });
  await using archives = openArchives(request.redact, context);
  const { kinds, filter, redact } = request;
  const reading = { kinds, filter, redact, selected, archives, context };
  const entries: LogEntry[] = unused.map(({ archive, problem }) => ({
    ...headOf(archive),
    changes: [],
    notRead: [],
    problem,
  }));
  for (const difference of findDifferences(contents)) {
    context.signal?.throwIfAborted();
    const entry = await entryOf(difference, reading);
    if (entry !== undefined) entries.push(entry);
  }
  const [first] = contents;
  return {
    stack,
    entries: entries.toSorted((left, right) => byCodeUnit(right.archive, left.archive)),
    compared: contents.length,
    ...(first !== undefined && {
      first: { ...headOf(first.archive), records: [...first.entries.keys()].filter((key) => selected.has(key)).length },
    }),
  };
}

export function headOf({ name, at }: BackupContent["archive"]): Pick<LogEntry, "archive" | "time"> {
  return { archive: name, time: new Date(at).toISOString() };
}

export interface LogReading extends Pick<LogRequest, "kinds" | "filter" | "redact"> {
  readonly selected: ReadonlySet<RecordKey>;
  readonly archives: OpenArchives;
  readonly context: RunContext;
}

export function readingOfAll(
  contents: readonly BackupContent[],
  redact: Redactor,
  archives: OpenArchives,
  context: RunContext,
): LogReading {
  const filter = { include: [], exclude: [] };
  return { kinds: [], filter, redact, selected: selectedKeys(contents, filter, []), archives, context };
}

export async function entryOf(
  { content, differences, notRead, movedFrom }: BackupDifferences,
  reading: LogReading,
): Promise<LogEntry | undefined> {
  const { changes, damage } =
    movedFrom === undefined ? await changesOf(differences, reading) : await changesByMove(movedFrom, content, reading);
  const isSame = changes.length === 0 && notRead.length === 0 && movedFrom === undefined && damage === undefined;
  if (isSame) return undefined;
  return {
    ...headOf(content.archive),
    changes,
    notRead,
    ...(movedFrom !== undefined && { movedFrom: movedFrom.manifest.source }),
    ...(damage !== undefined && { problem: { code: "unreadable-record", message: damage.message } }),
  };
}

interface ReadChanges {
  readonly changes: readonly LoggedChange[];
  readonly damage?: StackferryError | undefined;
}

async function isChosen({ key, last }: RecordDifference, reading: LogReading): Promise<boolean> {
  const { kinds, filter, selected, archives } = reading;
  if (selected.has(key)) return true;
  const kind = knownKind(last.entry.kind);
  const isAsked = filter.include.length > 0 && (kinds.length === 0 || kinds.includes(kind.name));
  if (!isAsked || kind.livesOn === undefined || !isSelected(last.entry, { ...filter, include: [] })) return false;
  const { body } = await archives.read(last);
  return hostKeysOf(kind, body).some((host) => selected.has(host));
}

async function changesOf(differences: readonly RecordDifference[], reading: LogReading): Promise<ReadChanges> {
  const changes: LoggedChange[] = [];
  let damage: StackferryError | undefined;
  for (const difference of differences) {
    try {
      const isAsked = await isChosen(difference, reading);
      const change = isAsked ? await changeOf(difference, reading) : undefined;
      if (change !== undefined) changes.push(change);
    } catch (error) {
      if (!isDamageError(error)) throw error;
      damage ??= error;
    }
  }
  const orderOf = ({ name, change }: LoggedChange): string => `${name}\n${change === "removed" ? 0 : 1}`;
  return { changes: changes.toSorted((left, right) => byCodeUnit(orderOf(left), orderOf(right))), damage };
}

/** Returns undefined if two versions differ only in members that the server adds or changes. */
async function changeOf(
  difference: RecordDifference,
  { archives, redact }: LogReading,
): Promise<LoggedChange | undefined> {
  const { before, after, last } = difference;
  const { kind, id } = last.entry;
  const name = await redactName(last.entry, redact);
  const identity = { kind, name, ...(await displayNameAt(last, archives)) };
  if (before === undefined || after === undefined) {
    return { ...identity, members: [], ...(await hostsMember(last, archives)), ...sideOf(difference) };
  }
  const members = await changedMembers(
    { content: before.content, record: await archives.read(before) },
    { content: after.content, record: await archives.read(after) },
    archives,
  );
  if (members.length === 0) return undefined;
  const former = await redactName(before.entry, redact);
  const renamed = former === name ? {} : { formerName: former };
  return { ...identity, change: "changed", leftId: id, rightId: id, members, ...renamed };
}

function sideOf({ before, last: { entry } }: RecordDifference): Pick<LoggedChange, "change" | "leftId" | "rightId"> {
  return before === undefined ? { change: "added", rightId: entry.id } : { change: "removed", leftId: entry.id };
}

async function hostsMember(last: BackupRecord, archives: OpenArchives): Promise<Pick<LoggedChange, "livesOn">> {
  const kind = knownKind(last.entry.kind);
  const livesOn = kind.livesOn === undefined ? [] : hostKeysOf(kind, (await archives.read(last)).body);
  return livesOn.length > 0 ? { livesOn } : {};
}

interface RecordInBackup {
  readonly content: BackupContent;
  readonly record: StackRecord;
}

async function changedMembers(
  before: RecordInBackup,
  after: RecordInBackup,
  archives: OpenArchives,
): Promise<readonly MemberChange[]> {
  const kind = knownKind(after.record.kind);
  const changes = diffVersions(kind, before.record, after.record.body);
  if (changes.length === 0) return [];
  const versions = { left: before.record.body, right: after.record.body };
  const referenced = recordsOfChangedReferences(kind, changes, versions);
  const finders = [
    await recordsAt(after.content, referenced, archives),
    await recordsAt(before.content, referenced, archives),
  ];
  return nameChangedReferences(kind, changes, versions, finders);
}

/** Matches records by content, as in a migration. */
async function changesByMove(
  from: BackupContent,
  to: BackupContent,
  { archives, kinds, filter, redact, context }: LogReading,
): Promise<ReadChanges> {
  try {
    const left = await sideOfArchive(await archives.reader(from), redact, context);
    const right = await sideOfArchive(await archives.reader(to), redact, context);
    return await diffStacks(left, right, { kinds, filter, mapping: {} }, context.signal);
  } catch (error) {
    if (!isDamageError(error)) throw error;
    return { changes: [], damage: error };
  }
}
