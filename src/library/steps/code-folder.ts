import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { STORED_FILE } from "../../backup/archive-names.ts";
import type { CodeValues } from "../../archive/as-code/values.ts";
import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackError, StackferryError } from "../../core/errors.ts";
import { ignoreEvents, type RunContext } from "../../core/events.ts";
import type { Warning } from "../../core/outcome.ts";
import { willWrite } from "../../core/plan/plan.ts";
import type { ListedRecord, ListGap, StackClient } from "../../core/ports.ts";
import type { KindName, RecordKey } from "../../core/records/record.ts";
import { takeTargetLock } from "../../journal/target-lock.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { prepareImport } from "../import.ts";
import { secretsOfAccess, type SecretAccess } from "../options/credential-guard.ts";
import { normaliseImport } from "../options/import-options.ts";
import { readHistory, type FindJournal, type ImportJournal } from "./journal-place.ts";
import { openFiles } from "./open-files.ts";

/** A folder of code files, and the stack that is exported into it. */
export interface CodeFolder {
  readonly path: string;
  readonly values: CodeValues;
  readonly client: StackClient;
  readonly settings: Pick<StackSettings, "stackName" | "identity" | "rate" | "concurrency" | "consistencyWaitMs"> &
    SecretAccess;
  readonly redact: Redactor;
  readonly journal: FindJournal;
}

/** Finds the journal of the folder and the stack, as an `apply` of the folder does. */
function journalOf({ path, settings: { identity }, journal }: CodeFolder): ImportJournal {
  return journal({ source: identity, files: { root: path, identify: (key) => key }, target: identity });
}

/**
 * Returns a function that finds the id of the record that the journal knows from a file, by the file's lasting key.
 * @throws StackferryError `usage` for a repository of backups, and for files that the journals know from other stacks alone
 */
export async function openCodeFolder(folder: CodeFolder): Promise<(key: RecordKey) => string | undefined> {
  const { path, settings } = folder;
  await refuseRepository(path);
  const journal = journalOf(folder);
  const { entries, history } = await readHistory(journal);
  const [other] = entries.length > 0 || !(await holdsFiles(path)) ? [] : await journal.otherTargets();
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

/** Lists of a stack that are read once, and answered once more from memory. */
export interface RecordedLists {
  /** Reads the stack, and records its lists. */
  readonly recording: StackClient;
  /** Answers with the lists that were recorded whole; the stack offers no others. */
  readonly replay: StackClient;
}

export function recordLists(client: StackClient): RecordedLists {
  const lists = new Map<KindName, { readonly pages: readonly (readonly ListedRecord[])[]; readonly gap?: ListGap }>();
  const recording: StackClient = {
    ...client,
    async *list(kind, signal, onGap) {
      const pages: (readonly ListedRecord[])[] = [];
      let found: ListGap | undefined;
      const noteGap = (gap: ListGap): void => {
        found = gap;
        onGap?.(gap);
      };
      for await (const page of client.list(kind, signal, onGap && noteGap)) {
        pages.push(page);
        yield page;
      }
      lists.set(kind.name, { pages, ...(found && { gap: found }) });
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

/**
 * Notes in the journal which record each file is, and what both sides have: all that an `apply` of the files would find equal. So the
 * next `apply`, and the next export, know a record that was renamed, and who has changed what. Notes nothing while another run
 * writes to the stack, or after one that was cut short: the next `apply` does.
 * @param folder its client answers with the lists from which the files were written
 */
export async function noteFiles(folder: CodeFolder, { events, signal }: RunContext): Promise<void> {
  const warn = (warning: Warning): void => events({ type: "warning", warning });
  try {
    await note(folder, { events: ignoreEvents, ...(signal && { signal }) });
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    if (error.code !== "journal") return;
    const message = `which record each file is was not noted, so a renamed record would get a second file: ${error.message}`;
    warn({ code: "no-journal", message });
  }
}

async function note(folder: CodeFolder, context: RunContext): Promise<void> {
  const { path, values, client, settings, redact, journal } = folder;
  const ownJournal = journalOf(folder);
  await using _lock =
    ownJournal.path === undefined ? undefined : await takeTargetLock(dirname(ownJournal.path), settings.identity);
  const { history } = await readHistory(ownJournal);
  if (history.open.length > 0 || history.runs.at(-1)?.result === "open") return;
  const opened = await openFiles(
    path,
    path,
    { client, stackName: settings.stackName, isStrict: false, values, journal },
    context,
  );
  const normalised = await normaliseImport({}, secretsOfAccess(settings));
  // The lists are those of the export: no wait makes them newer.
  const clock = { ...normalised.clock, sleep: async () => {} };
  const run = await prepareImport({ ...normalised, ...opened, journal, redact, clock, client, settings }, context);
  const plan = await run.draft({});
  await run.apply({ ...plan, items: plan.items.filter((item) => !willWrite(item) && item.action !== "blocked") });
}
