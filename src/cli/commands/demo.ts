import { defineCommand } from "../program/parse/define-command.ts";
import { mkdtemp, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SecretValue } from "../../core/secrets.ts";
import type { MissingSecret } from "../../core/plan/plan.ts";
import { planImport } from "../../library/import-archive.ts";
import { startSandbox, type Sandbox } from "../../sandbox/start-sandbox.ts";
import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { sandboxStackOptions } from "../wiring/stack.ts";
import {
  checkRebuild,
  readWholeStack,
  deleteAllRecords,
  isPlainRecord,
  changeFirstTile,
} from "../demo/independent-check.ts";
import { findingsToChecks, planAndImport, moveStack, readArchiveFacts, type MoveResult } from "../demo/move.ts";
import { backupStack } from "../../backup/backup.ts";
import { normaliseStack } from "../../library/options/connect.ts";
import type { SecretValues } from "../../library/options/option-values.ts";
import type { RunOptions } from "../../library/run.ts";
import { createBackupDependencies } from "../wiring/backup.ts";
import { createExporter } from "../wiring/export.ts";
import { openRepositoryFor } from "../wiring/repository.ts";
import { readStackLog } from "./log.ts";
import { demoText, type DemoBackups } from "../demo/text.ts";

export const demoCommand = defineCommand("demo", {
  prepare: (args) => args,
  run: async (_args, session) => runDemo(session),
});

/** Migrates a stack to the other variant and back, then wipes and rebuilds the first one. Each step is checked. */
async function runDemo(session: Session): Promise<CommandResult> {
  const run = { onEvent: eventsOf(session), signal: session.signal };
  const folder = await mkdtemp(join(tmpdir(), "stackferry-demo-"));
  await using office = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using cloud = await startSandbox({ variant: "managed", seed: "bare" });
  await using replacement = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const first = { source: office, target: cloud, out: join(folder, "to-managed.zip") };
  const second = { source: cloud, target: replacement, out: join(folder, "to-self-hosted.zip") };
  const moves = [
    await moveStack({ title: "Self-hosted → managed", ...first }, run),
    await moveStack({ title: "And back: managed → a new self-hosted stack", ...second }, run),
    await rebuild(office, first.out, run),
  ];
  const history = await keepBackups(office, folder, { ...session, events: () => {} });
  const total = moves.reduce((sum, { requests }) => sum + requests.source + requests.target, 0);
  session.runState.requestCounts.push(() => ({ total, retried: 0, rateLimited: 0, waitedMs: 0 }));
  const holds = [...moves, history].every(({ checks }) => checks.every((check) => check.holds));
  return {
    exitCode: holds ? 0 : 1,
    text: (display) => demoText(moves, history, folder, display),
    outcomes: moves.flatMap(({ outcomes }) => outcomes),
    details: {
      moves: moves.map(({ title, archive, checks, requests }) => ({ title, archive, checks, requests })),
      backups: history.backups,
    },
  };
}

/** Without a terminal, only --verbose shows events. --quiet hides warnings: they are about invented stacks. */
function eventsOf({ io, globals, events }: Session): Session["events"] {
  if (!io.stderr.isTTY && !globals.verbose) return () => {};
  if (!globals.quiet) return events;
  return (event) => (event.type === "warning" ? undefined : events(event));
}

type Stored = ReturnType<Sandbox["stored"]>;

/** Wipes a self-hosted stack, rebuilds it from an archive and the missing secrets, and checks it with plain requests. */
async function rebuild(stack: Sandbox, archive: string, run: RunOptions): Promise<MoveResult> {
  const [before, storedRecords] = [await readWholeStack(stack), stack.stored()];
  await deleteAllRecords(stack);
  const wiped = stack.stats().total;
  const options = { archive, to: sandboxStackOptions(stack), create: ["all"] };
  const { missingSecrets } = await planImport(options, run);
  const imported = await planAndImport({ ...options, secrets: answerFromStored(missingSecrets, storedRecords) }, run);
  const requests = { source: 0, target: stack.stats().total - wiped };
  const checks = findingsToChecks([
    ...checkRebuild(before, await readWholeStack(stack)),
    ["restoring it again would write nothing", await imported.writesIfRepeated()],
  ]);
  const title = "Disaster recovery: the first stack, wiped and rebuilt from its archive and a secrets file";
  return { title, ...(await readArchiveFacts(archive)), ...imported, checks, requests };
}

/** Fills in a secrets file with the stack's real secrets, like a user who has kept these secrets in a safe. */
function answerFromStored(missingSecrets: readonly MissingSecret[], storedRecords: Stored): SecretValues {
  const lines: Record<string, SecretValues[string]> = {};
  for (const { key, pointer, context } of missingSecrets) {
    lines[key] = { ...lines[key], [pointer]: { context, value: answerTo(key, pointer, storedRecords) } };
  }
  return lines;
}

/** The archive keeps the origin of an address, so for an address only the part after the origin is returned. */
function answerTo(key: string, pointer: string, storedRecords: Stored): SecretValue {
  const [kind = "", id] = key.split("/");
  const records = Object.entries(storedRecords).find(([name]) => name === kind)?.[1];
  const value = records?.find((record) => record.id === id)?.[pointer.slice(1)];
  if (typeof value === "string") return pointer === "/url" ? value.slice(`${new URL(value).origin}/`.length) : value;
  return isPlainRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
    : null;
}

const DAY_MS = 86_400_000;

/** Makes two backups, with a tile changed in between, and checks that `stackferry log` reports this tile alone. */
async function keepBackups(stack: Sandbox, folder: string, session: Session): Promise<DemoBackups> {
  const place = join(folder, "backups");
  await mkdir(place, { recursive: true });
  await backUp(stack, place, session.startedAt - DAY_MS, session);
  const changed = await changeFirstTile(stack);
  await backUp(stack, place, session.startedAt, session);
  const backups = join(place, "office");
  const selection = { kinds: [], filter: { include: [], exclude: [] } };
  const { entries } = await readStackLog({ backups, since: undefined, ...selection }, session);
  const loggedTiles = entries.flatMap(({ changes }) =>
    changes.flatMap(({ name, members }) => members.map(({ child }) => `${name}: ${child?.name ?? ""}`)),
  );
  const others = loggedTiles.length === 1 && loggedTiles[0] === changed ? [] : [`changed: ${changed}`, ...loggedTiles];
  return {
    backups,
    checks: findingsToChecks([["stackferry log tells of the one tile that was changed since", others]]),
  };
}

async function backUp(stack: Sandbox, place: string, now: number, session: Session): Promise<void> {
  const settings = normaliseStack(sandboxStackOptions(stack), "from");
  await using repository = await openRepositoryFor(place, session);
  const dependencies = await createBackupDependencies(repository, session);
  const localRecord = { lastGoodBackupAt: async () => undefined, recordGoodBackup: async () => {} };
  const input = {
    stack: "office",
    exportTo: createExporter(settings, {}, session),
    ifChanged: false,
    acceptSuspect: false,
  };
  await backupStack(input, { ...dependencies, clock: { ...dependencies.clock, now: () => now }, localRecord }, session);
}
