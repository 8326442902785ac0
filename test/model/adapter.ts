import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStackClient } from "../../src/client/stack-client.ts";
import { ignoreEvents } from "../../src/core/events.ts";
import { rollback } from "../../src/index.ts";
import { systemClock } from "../../src/client/clock.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { plannedOutcomes } from "../../src/core/plan/plan.ts";
import { prepareImport } from "../../src/library/import.ts";
import { journalFinder } from "../../src/library/steps/journal-place.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { plainImport, readerOf, type StackRecord } from "../support/import-stage.ts";
import type { EngineStack } from "./engine-stack.ts";
import type { Options } from "./plan.ts";

// The only file that knows how the engine is called, and in which words it answers. All journals of a test are in one folder.

/** What the engine said of a record: the id that it has at the source (a record that is deleted: on the target), and a word of the model. */
export interface Said {
  readonly kind: string;
  readonly sourceId: string;
  readonly targetId: string | undefined;
  readonly word: string;
}

export interface EngineRun {
  /** What its dry run said. */
  readonly planned: readonly Said[];
  readonly said: readonly Said[];
  /** For a rollback; absent if nothing was written. */
  readonly handle?: RunHandle;
  /** The error that ended the run, if it has not reached its end. */
  readonly failed?: string;
}

/** Names a run for a rollback. */
export interface RunHandle {
  readonly run: number;
}

/** What an import of the engine reads: the records of a stack, its address, and a time in seconds. */
export interface EngineArchive {
  readonly records: readonly StackRecord[];
  readonly from: string;
  readonly at: number;
}

/** Longest lag of a list. Waits take no time, because `withStacks` sets the clock. */
const WAIT_MS = 60_000;

export async function importWithEngine(
  folder: string,
  target: EngineStack,
  { records, from, at }: EngineArchive,
  options: Options,
): Promise<EngineRun> {
  await using client = clientOf(target);
  const identity = { variant: "self-hosted", baseUrl: target.url } as const;
  const { policy, mirror = false, tile, only, prefix: namePrefix } = options;
  const include = tile?.of ?? only;
  const chosen = include === undefined ? {} : { tile: tile?.part, filter: { include: [include], exclude: [] } };
  const job = {
    reader: readerOf(
      records,
      { source: { variant: "self-hosted", baseUrl: from }, createdAt: new Date(at * 1000).toISOString() },
      new Set(["dashboards", "alerts"]),
      () => true,
    ),
    client,
    settings: { stackName: "the target", identity, concurrency: 2, consistencyWaitMs: WAIT_MS },
    options: { ...plainImport, onConflict: policy, namePrefix, ...chosen },
    secretAnswers: {},
    secretTexts: [],
    credentials: [],
    transforms: undefined,
    dryRun: false,
    clock: systemClock,
    redact: createRedactor(),
    mirror: mirror
      ? ({ scope: "ours", maxDelete: { count: 1000 }, takesEdited: policy === "overwrite" } as const)
      : undefined,
    journal: journalFinder({ folder, base: folder }),
  } as const;
  let planned: readonly Said[] = [];
  try {
    const run = await prepareImport(job, { events: ignoreEvents });
    const plan = await run.plan();
    planned = plannedOutcomes(plan).map(saidOf);
    const { outcomes, run: number, stopped } = await run.apply(plan);
    const handle = number === undefined ? {} : { handle: { run: number } };
    return { planned, said: outcomes.map(saidOf), ...handle, ...(stopped && { failed: stopped.code }) };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { planned, said: planned, failed: error.code };
  }
}

export async function rollBackWithEngine(
  folder: string,
  target: EngineStack,
  { run }: RunHandle,
  force: boolean,
): Promise<EngineRun> {
  const access = { baseUrl: target.url, apiKey: target.apiKey, allowHttp: true };
  const to = { variant: "self-hosted", ...access, consistencyWaitMs: WAIT_MS } as const;
  try {
    const result = await rollback({ to, journals: folder, run, force });
    return { planned: [], said: result.outcomes.map(saidOf) };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { planned: [], said: [], failed: error.code };
  }
}

function clientOf({ url, apiKey }: EngineStack): ReturnType<typeof createStackClient> {
  return createStackClient({
    identity: { variant: "self-hosted", baseUrl: url },
    credential: { apiKey },
    allowHttp: true,
  });
}

function saidOf({ kind, sourceId, targetId, action, code, status }: Outcome): Said {
  // A record that a mirror would delete, and that is gone already, is no decision.
  if (code === "gone") return { kind, sourceId, targetId, word: code };
  const done = action === "skip" ? (code ?? "skip") : action;
  const word = status === "failed" && action !== "blocked" ? `failed ${code ?? ""}` : done;
  return { kind, sourceId, targetId, word };
}

/** Keeps the files of the engine as they are, for a kill. Returns a function that puts them back. */
export function keepFiles(folder: string): () => void {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(?:journal|json)$/.test(name),
  );
  const texts = names.map((name) => [name, readFileSync(join(folder, name))] as const);
  return () => {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
      if (/\.(?:journal|json)$/.test(name)) rmSync(join(folder, name));
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of texts) writeFileSync(join(folder, name), text, { mode: 0o600 });
  };
}
