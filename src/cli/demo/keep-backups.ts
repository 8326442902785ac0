import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { timeStamp } from "../../core/text/format.ts";
import { exportToArchive, WHOLE_STACK } from "../../library/export-archive.ts";
import { normaliseStack, openStack } from "../../library/options/connect.ts";
import { redactorOf } from "../../library/options/option-values.ts";
import type { RunOptions } from "../../library/run.ts";
import { withRun } from "../../library/run.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import { readLogOf } from "../commands/log.ts";
import type { Session } from "../program/session.ts";
import { sandboxStack } from "../wiring/stack.ts";
import { changeFirstTile } from "./independent-check.ts";
import { asChecks } from "./move.ts";
import type { Moved } from "./move.ts";

const DAY_MS = 86_400_000;

/** A repository with two backups of one stack, between which a tile was changed. */
export interface KeptBackups {
  /** Path of the stack's folder in the repository. */
  readonly backups: string;
  readonly checks: Moved["checks"];
}

/**
 * Backs up a stack with the date of yesterday, changes a tile, and backs up the stack again. Then checks that `stackferry log`
 * reports this tile and nothing else.
 */
export async function keepBackups(
  stack: Sandbox,
  folder: string,
  run: RunOptions,
  session: Session,
): Promise<KeptBackups> {
  const backups = join(folder, "backups", "office");
  await mkdir(backups, { recursive: true });
  await backUp(stack, backups, session.startedAt - DAY_MS, run);
  const changed = await changeFirstTile(stack);
  await backUp(stack, backups, session.startedAt, run);
  const selection = { kinds: [], filter: { include: [], exclude: [] } };
  const { entries } = await readLogOf({ backups, since: undefined, ...selection }, session);
  const loggedTiles = entries.flatMap(({ changes }) =>
    changes.flatMap(({ name, members }) => members.map(({ child }) => `${name}: ${child?.name ?? ""}`)),
  );
  const others = loggedTiles.length === 1 && loggedTiles[0] === changed ? [] : [`changed: ${changed}`, ...loggedTiles];
  return { backups, checks: asChecks([["stackferry log tells of the one tile that was changed since", others]]) };
}

async function backUp(stack: Sandbox, backups: string, now: number, run: RunOptions): Promise<void> {
  const settings = normaliseStack(sandboxStack(stack), "from");
  await withRun(run, async (context) => {
    await using client = openStack(settings, context);
    const path = join(backups, `${timeStamp(now)}.zip`);
    const job = { ...WHOLE_STACK, client, settings, path, now, stack: "office", redact: redactorOf(undefined) };
    return await exportToArchive(job, context);
  });
}
