import { resolve } from "node:path";
import { loadSigningKey } from "../../config/archive-secrets.ts";
import { loadConfig } from "../../config/load-config.ts";
import { StackferryError } from "../../domain/errors.ts";
import type { RetentionPolicy } from "../../domain/retention.ts";
import { backupAll } from "../../jobs/backup-all.ts";
import type { BackupEnd } from "../../jobs/backup-all.ts";
import type { BackupInput } from "../../jobs/backup-stack.ts";
import { shardOf } from "../../jobs/shard-of.ts";
import { archiveEncryption } from "../archive-keys.ts";
import { backupTools } from "../backup-tools.ts";
import { exitCodeOf } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { loadSecret } from "../load-secret.ts";
import { openPlaceFor } from "../open-place.ts";
import { reported, resolveFor } from "../open-stack.ts";
import { backupText } from "../render/backup-text.ts";
import { describeVerdict, pruneText } from "../render/prune-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import type { ArchiveProtection } from "./export-to.ts";
import { exporterOf } from "./exporter-of.ts";

/** `stackferry backup`, normalised. */
export interface BackupRequest {
  /** Empty: every configured stack. */
  readonly stacks: readonly string[];
  readonly shard: { readonly index: number; readonly count: number } | undefined;
  readonly to: string;
  readonly ifChanged: boolean;
  readonly parallel: number;
  readonly policy: RetentionPolicy | undefined;
  /** age public keys. */
  readonly recipients: readonly string[];
  /** File of an Ed25519 private key. */
  readonly signingKey: string | undefined;
}

/** Backs stacks up into a place and prunes it. What went wrong with one stack is said of that stack. */
export async function runBackup(request: BackupRequest, session: Session): Promise<CommandResult> {
  const protection = await protectionOf(request, session);
  await using place = await openPlaceFor(request.to, session);
  const names = request.stacks.length > 0 ? request.stacks : await configuredStacks(request, session);
  const { inputs, failed } = await inputsOf(names, request, protection, session);
  const { events, signal } = session;
  const tools = backupTools(place, session);
  const ends = [...failed, ...(await backupAll(inputs, tools, request.parallel, { events, signal }))];
  logPruning(ends, session);
  const [first] = ends;
  const stopped = ends.length === 1 && first?.result === "failed" ? first.error : undefined;
  return {
    exitCode: exitCodeOfBackups(ends),
    text: (view) => backupText(ends, place.address, view),
    ...(stopped !== undefined && { stopped }),
    stackEnds: ends.map((end) => ({ stack: end.stack, exitCode: exitCodeOfBackups([end]) })),
    extra: { place: place.address, stacks: ends.map(describeEnd) },
  };
}

async function protectionOf(request: BackupRequest, session: Session): Promise<ArchiveProtection> {
  const encryption = await archiveEncryption(request.recipients, session);
  const file = request.signingKey === undefined ? undefined : resolve(session.io.cwd, request.signingKey);
  const signer = file === undefined ? undefined : await loadSecret(loadSigningKey, file, session);
  return { ...(encryption !== undefined && { encryption }), ...(signer !== undefined && { signer }) };
}

async function configuredStacks({ shard }: BackupRequest, { io, globals }: Session): Promise<string[]> {
  const { path, stacks } = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  if (stacks.size === 0) {
    const hint = "--all backs up the stacks of stackferry.yaml: write one, or name one with --config";
    throw new StackferryError("config", `there are no stacks in ${path ?? "the configuration"}`, { hint });
  }
  return [...stacks.keys()].filter((name) => shard === undefined || shardOf(name, shard.count) === shard.index);
}

/** A stack that cannot even be resolved (a secret is missing) does not stop the others either. */
async function inputsOf(
  names: readonly string[],
  { ifChanged, policy }: BackupRequest,
  protection: ArchiveProtection,
  session: Session,
): Promise<{ readonly inputs: readonly BackupInput[]; readonly failed: readonly BackupEnd[] }> {
  const inputs = new Map<string, BackupInput>();
  const failed: BackupEnd[] = [];
  const [encrypted, signed] = [protection.encryption !== undefined, protection.signer !== undefined];
  for (const name of names) {
    try {
      const settings = await resolveFor(name, "from", session);
      const stack = settings.label;
      if (inputs.has(stack)) throw new StackferryError("usage", `two of the stacks would be stored as ${stack}`);
      const exportTo = exporterOf(settings, protection, session);
      inputs.set(stack, { stack, exportTo, encrypted, signed, ifChanged, policy });
      if (names.length === 1) session.facts.from = reported(settings);
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      failed.push({ stack: name, result: "failed", error });
    }
  }
  return { inputs: [...inputs.values()], failed };
}

/** Why each archive stays; who looks for that later finds it in the log. */
function logPruning(ends: readonly BackupEnd[], session: Session): void {
  const verdicts = ends.flatMap((end) => (end.result === "failed" ? [] : end.pruned));
  if (session.globals.verbose && verdicts.length > 0) session.say(pruneText(verdicts, false, session.err));
}

/** All failed alike: that code; only some: 3, since the others are safe. */
function exitCodeOfBackups(ends: readonly BackupEnd[]): ExitCode {
  const codes = new Set(ends.map((end): ExitCode => (end.result === "failed" ? exitCodeOf(end.error) : 0)));
  const [code] = codes;
  return codes.size > 1 ? 3 : (code ?? 0);
}

function describeEnd(end: BackupEnd): Readonly<Record<string, unknown>> {
  if (end.result !== "failed") return { ...end, pruned: end.pruned.map(describeVerdict) };
  const { code, message, hint } = end.error;
  return { stack: end.stack, result: end.result, error: { code, message, ...(hint !== undefined && { hint }) } };
}
