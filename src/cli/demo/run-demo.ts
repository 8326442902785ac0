import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "../../sandbox/start-sandbox.ts";
import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { demoText } from "./demo-text.ts";
import type { Moved } from "./move.ts";
import { move, asChecks, importer, writesIn } from "./move.ts";
import { openArchive } from "../../archive/reader.ts";
import type { MissingSecret } from "../../core/plan/plan.ts";
import { writePrivateFile } from "../../files/atomic-write.ts";
import { kindsOnRequest } from "../../kinds/registry.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import { checkRebuild, readWholeStack, wipe } from "./check-rebuild.ts";
import type { Finding } from "./independent-check.ts";

/** Migrates a stack and back, then loses and rebuilds one, on stacks of this machine, and checks each step. */
export async function runDemo(outer: Session): Promise<CommandResult> {
  const session = withoutWarnings(outer);
  const folder = await mkdtemp(join(tmpdir(), "stackferry-demo-"));
  await using office = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using cloud = await startSandbox({ variant: "managed", seed: "bare" });
  await using replacement = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const there = await move(
    { title: "Self-hosted → managed", source: office, target: cloud, folder, name: "to-managed" },
    session,
  );
  const back = await move(
    {
      title: "And back: managed → a new self-hosted stack",
      source: cloud,
      target: replacement,
      folder,
      name: "to-self-hosted",
    },
    session,
  );
  const moves = [there, back, await rebuild(office, there.archive.path, folder, session)];
  const holds = moves.every(({ checks }) => checks.every((each) => each.holds));
  return {
    exitCode: holds ? 0 : 1,
    text: (display) => demoText(moves, folder, display),
    outcomes: moves.flatMap(({ outcomes }) => outcomes),
    extra: { moves: moves.map(described) },
  };
}

/**
 * Silences the warnings about the demo's invented stacks: under --quiet no warning is shown, and without a terminal only the final
 * page, which a log of every step would bury.
 */
function withoutWarnings(session: Session): Session {
  if (!session.io.stderr.isTTY && !session.globals.verbose) return { ...session, events: () => {}, note: () => {} };
  if (!session.globals.quiet) return session;
  return { ...session, events: (event) => (event.type === "warning" ? undefined : session.events(event)) };
}

function described({ title, archive, checks, requests }: Moved): Readonly<Record<string, unknown>> {
  return { title, archive, checks, requests };
}

type Stored = ReturnType<Sandbox["stored"]>;

/** Empties a self-hosted stack and rebuilds it from an archive and a secrets file alone, then checks it with plain requests. */
async function rebuild(stack: Sandbox, archive: string, folder: string, session: Session): Promise<Moved> {
  const [before, known] = [await readWholeStack(stack), stack.stored()];
  await wipe(stack);
  const wiped = stack.stats().total;
  await using reader = await openArchive(archive);
  const create = kindsOnRequest.map(({ name }) => name);
  const draft = await importer(reader, stack, { create }, session)(true);
  const secretsFile = join(folder, "secrets.yaml");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- members of a result's document are of any type
  const missingSecrets = draft.extra?.["missingSecrets"] as readonly MissingSecret[];
  await writePrivateFile(secretsFile, answered(missingSecrets, known));
  const run = importer(reader, stack, { create, secretsFile }, session);
  const { outcomes: planned = [] } = await run(true);
  const { outcomes = [] } = await run(false);
  const requests = { source: 0, target: stack.stats().total - wiped };
  const findings: Finding[] = [
    ...checkRebuild(before, await readWholeStack(stack)),
    ["restoring it again would write nothing", writesIn(await run(true))],
  ];
  // The archives are kept for inspection; the secrets file contains secrets and is removed.
  await rm(secretsFile);
  const title = "And the day it is lost: the first stack, wiped, rebuilt from its archive and a secrets file";
  const { manifest, summary } = reader;
  return { title, archive: summary, manifest, planned, outcomes, checks: asChecks(findings), requests };
}

/** The secrets file of a user who keeps the stack's passwords in a safe. JSON is valid YAML. */
function answered(missingSecrets: readonly MissingSecret[], known: Stored): string {
  const lines: Record<string, Record<string, unknown>> = {};
  for (const { key, pointer, context } of missingSecrets) {
    lines[key] = { ...lines[key], [pointer]: { context, value: answerTo(key, pointer, known) } };
  }
  return JSON.stringify(lines, undefined, 2);
}

/** The member's original value, or null if it had none. For an address only the part after the origin, which the archive keeps. */
function answerTo(key: string, pointer: string, known: Stored): unknown {
  const [kind = "", id] = key.split("/");
  const records = Object.entries(known).find(([name]) => name === kind)?.[1];
  const value = records?.find((record) => record.id === id)?.[pointer.slice(1)] ?? null;
  if (pointer !== "/url" || typeof value !== "string") return value;
  return value.slice(`${new URL(value).origin}/`.length);
}
