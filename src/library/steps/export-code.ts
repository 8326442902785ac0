import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { STORED_FILE } from "../../backup/archive-names.ts";
import type { CodeValues } from "../../archive/as-code/values.ts";
import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackError, StackferryError } from "../../core/errors.ts";
import { ignoreEvents, type RunContext } from "../../core/events.ts";
import type { Warning } from "../../core/outcome.ts";
import { getOrMake } from "../../core/collections.ts";
import { willWrite } from "../../core/plan/plan.ts";
import type { ListedRecord, ListGap, StackClient } from "../../core/ports.ts";
import type { KindName, RecordKey, StackRecord } from "../../core/records/record.ts";
import { takeTargetLock } from "../../journal/target-lock.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { prepareImport } from "../import.ts";
import { secretsOfAccess, type SecretAccess } from "../options/credential-guard.ts";
import { normaliseImport } from "../options/import-options.ts";
import type { FindJournal, ImportJournal } from "./journal-place.ts";
import { openFiles } from "./open-files.ts";
import type { KindSummary } from "../../core/manifest.ts";
import { refuseEmptySelection, type RecordFilter } from "../../core/records/record-filter.ts";
import type { ExportInput, ExportResult } from "../../export/export-stack.ts";
import { createSelection } from "../../export/selection.ts";
import { isAlwaysWritten } from "../../kinds/registry.ts";
import { findUnusedPatterns, unreadKinds } from "../../kinds/unused-patterns.ts";
import type { SelectedRecords } from "./selection.ts";

export type ExportFormat = "zip" | "folder" | "code";

export function checkExportFormat(settings: {
  readonly format: ExportFormat;
  readonly mirror?: boolean;
  readonly filter: RecordFilter;
  readonly encryption?: object | undefined;
  readonly signer?: object | string | undefined;
}): void {
  const { format, mirror = false, filter, encryption, signer } = settings;
  if (encryption !== undefined && format !== "zip") {
    throw new StackferryError("usage", `an archive in ${format} form cannot be encrypted`, {
      hint: "write a zip, or give neither recipient nor passphrase (nor STACKFERRY_PASSPHRASE)",
    });
  }
  if (mirror && format !== "code") {
    throw new StackferryError("usage", "--mirror needs --format code");
  }
  if (mirror && filter.include.length + filter.exclude.length > 0) {
    const hint = "Leave out one of them; --kinds limits which files are removed.";
    throw new StackferryError(
      "usage",
      "--mirror would remove the files of every record that --include or --exclude leaves out",
      { hint },
    );
  }
  if (signer !== undefined && format === "code") {
    throw new StackferryError("usage", "files in the form code cannot be signed", { hint: "sign the commit instead" });
  }
}

export async function exportToCode(
  job: CodeExport,
  context: RunContext,
  run: (read: ExportReading) => Promise<ExportResult>,
): Promise<ExportResult> {
  const { recording, replay } = recordLists(job.client);
  const findWritten = await openCodeFolder(job);
  const result = await writeCode({ ...job, client: recording }, findWritten, context, run);
  await noteFiles({ ...job, client: replay }, context);
  return result;
}

export type ExportReading = Pick<ExportInput, "client" | "kinds" | "filter" | "openWriter">;

/** Reads the whole stack, because references become the names of other records. */
async function writeCode(
  { path, kinds, filter, mirror = false, values, client }: CodeExport,
  findWritten: FindWritten,
  { events, signal }: RunContext,
  run: (read: ExportReading) => Promise<ExportResult>,
): Promise<ExportResult> {
  const isKindWanted = (kind: KindName): boolean => kinds.length === 0 || kinds.some(({ name }) => name === kind);
  const selection = createSelection(filter);
  // Asks `choose` first, also about unwanted kinds: a chosen dashboard brings its alerts along.
  const isWanted = (record: StackRecord): boolean => selection.choose(record) && isKindWanted(record.kind);
  const writtenIds = new Map<KindName, Set<string>>();
  const check = async (
    records: readonly StackRecord[],
    summaries: Readonly<Record<KindName, KindSummary>>,
  ): Promise<void> => {
    for (const { kind, id } of records) getOrMake(writtenIds, kind, () => new Set<string>()).add(id);
    if (!records.some(({ kind }) => isAlwaysWritten(kind))) refuseEmptySelection(filter, "on the stack");
    const searched = { records: selection.seen, where: "on the stack", unread: unreadKinds(Object.entries(summaries)) };
    for (const warning of await findUnusedPatterns(filter, { ...searched, nameOf: ({ name }) => name })) warn(warning);
  };
  const warn = (warning: Warning): void => events({ type: "warning", warning });
  const openWriter = async () => {
    // The YAML writer takes long to load.
    const { createCodeWriter } = await import("../../archive/as-code/write/writer.ts");
    return createCodeWriter({ path, isWanted, isKindWanted, mirror, values, findWritten, check, warn, signal });
  };
  const result = await run({ client, kinds: [], filter: { include: [], exclude: [] }, openWriter });
  const summaries = Object.entries(result.kinds).map(([kind, summary]): [KindName, KindSummary] => {
    if (!isKindWanted(kind)) return [kind, { status: "not-requested", count: 0 }];
    return [kind, { ...summary, count: writtenIds.get(kind)?.size ?? 0 }];
  });
  const outcomes = result.outcomes.filter(
    ({ kind, sourceId, status }) => status === "failed" || writtenIds.get(kind)?.has(sourceId) === true,
  );
  return { ...result, kinds: Object.fromEntries(summaries), outcomes };
}

export interface CodeFolder {
  readonly path: string;
  readonly values?: CodeValues | undefined;
  readonly client: StackClient;
  readonly settings: Pick<StackSettings, "stackName" | "identity" | "concurrency" | "consistencyWaitMs"> & SecretAccess;
  readonly redact: Redactor;
  readonly journal: FindJournal;
}

interface CodeExport extends CodeFolder, SelectedRecords {
  readonly mirror?: boolean;
}

type FindWritten = (key: RecordKey) => string | undefined;

function journalOf({ path, settings: { identity }, journal }: CodeFolder): ImportJournal {
  return journal({ source: identity, files: path, target: identity });
}

/**
 * The result finds a record's id by the key of its file, which survives a rename.
 * @throws StackferryError `usage` for a repository of backups, and for files of another stack
 */
async function openCodeFolder(folder: CodeFolder): Promise<FindWritten> {
  const { path, settings } = folder;
  await refuseRepository(path);
  const journal = journalOf(folder);
  const { entries, history } = await journal.read();
  const [other] = entries.length > 0 || !(await holdsFiles(path)) ? [] : await journal.readOtherTargets();
  if (other !== undefined) {
    const message = `the files in ${path} are known from ${stackAddressOf(other)}, and not from ${stackAddressOf(settings.identity)}`;
    const hint = "Name another folder. If the files are for both stacks, apply them to this one first.";
    throw new StackferryError("usage", message, { hint });
  }
  return (key) => history.bases.get(key)?.targetId;
}

async function refuseRepository(path: string): Promise<void> {
  const names = await readdir(path).catch((): string[] => []);
  const below = await Promise.all(names.map((name) => readdir(join(path, name)).catch((): string[] => [])));
  if (![...names, ...below.flat()].some((name) => STORED_FILE.test(name))) return;
  throw new StackferryError("usage", `${path} holds backups, and files that people edit do not belong there`, {
    hint: "Name another folder.",
  });
}

async function holdsFiles(path: string): Promise<boolean> {
  return (await readdir(path).catch((): string[] => [])).some((name) => !name.startsWith("."));
}

/** In `replay`, a list that was not read to its end is `not-offered`. */
function recordLists(client: StackClient) {
  const lists = new Map<
    KindName,
    { readonly pages: readonly (readonly ListedRecord[])[]; readonly gap: ListGap | undefined }
  >();
  const recording: StackClient = {
    ...client,
    async *list(kind, signal, onGap) {
      const pages: (readonly ListedRecord[])[] = [];
      let gap: ListGap | undefined;
      const noteGap = (found: ListGap): void => {
        gap = found;
        onGap?.(found);
      };
      for await (const page of client.list(kind, signal, onGap && noteGap)) {
        pages.push(page);
        yield page;
      }
      lists.set(kind.name, { pages, gap });
    },
  };
  const replay: StackClient = {
    ...client,
    async *list(kind, _signal, onGap) {
      const { pages, gap } = lists.get(kind.name) ?? {};
      if (pages === undefined) throw notRead(kind.name);
      yield* pages;
      if (gap !== undefined) onGap?.(gap);
    },
  };
  return { recording, replay };
}

function notRead(kind: KindName): StackError {
  return new StackError("not-offered", `the export has not read ${kind}`, { method: "GET", path: kind, applied: "no" });
}

/** Writes into the journal which record each file is, so the next `apply` or export recognises renamed records. */
async function noteFiles(folder: CodeFolder, { events, signal }: RunContext): Promise<void> {
  try {
    await note(folder, { events: ignoreEvents, signal });
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    if (error.code !== "journal") return;
    const message = `which record each file is was not noted, so a renamed record would get a second file: ${error.message}`;
    events({ type: "warning", warning: { code: "no-journal", message } });
  }
}

async function note(folder: CodeFolder, context: RunContext): Promise<void> {
  const { path, values, client, settings, redact, journal } = folder;
  const ownJournal = journalOf(folder);
  await using _lock =
    ownJournal.path === undefined ? undefined : await takeTargetLock(dirname(ownJournal.path), settings.identity);
  const { history } = await ownJournal.read();
  if (history.open.length > 0 || history.runs.at(-1)?.isCutShort) return;
  const target = { client, stackName: settings.stackName, isStrict: false, values, journal };
  const opened = await openFiles(path, path, target, context);
  const normalised = await normaliseImport({}, secretsOfAccess(settings));
  // Never sleeps: `client` only replays the lists that the export has read.
  const clock = { ...normalised.clock, sleep: async () => {} };
  const run = await prepareImport({ ...normalised, ...opened, journal, redact, clock, client, settings }, context);
  const plan = await run.draft({});
  await run.apply({ ...plan, items: plan.items.filter((item) => !willWrite(item) && item.action !== "blocked") });
}
