import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openArchive } from "../../archive/reader.ts";
import type { MissingSecret } from "../../core/importing/plan.ts";
import { writePrivateFile } from "../../files/atomic-write.ts";
import { lookedUpKinds } from "../../kinds/registry.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import type { Session } from "../program/session.ts";
import { checkRebuild, readWholeStack, wipe } from "./check-rebuild.ts";
import type { Finding } from "./independent-check.ts";
import type { Moved } from "./move.ts";
import { asChecks, importer, writesIn } from "./move.ts";

type Stored = ReturnType<Sandbox["stored"]>;

/** Empties a self-hosted stack and rebuilds it from an archive and a fill file alone, then checks it by plain requests. */
export async function rebuild(stack: Sandbox, archive: string, folder: string, session: Session): Promise<Moved> {
  const [before, known] = [await readWholeStack(stack), stack.stored()];
  await wipe(stack);
  const wiped = stack.stats().total;
  await using reader = await openArchive(archive);
  const create = lookedUpKinds.map(({ name }) => name);
  const draft = await importer(reader, stack, { create }, session)(true);
  const fillFile = join(folder, "fill.yaml");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- members of a result's document are of any type
  const toFill = draft.extra?.["toFill"] as readonly MissingSecret[];
  await writePrivateFile(fillFile, answered(toFill, known));
  const run = importer(reader, stack, { create, fillFile }, session);
  const { outcomes: planned = [] } = await run(true);
  const { outcomes = [] } = await run(false);
  const requests = { source: 0, target: stack.stats().total - wiped };
  const findings: Finding[] = [
    ...checkRebuild(before, await readWholeStack(stack)),
    ["restoring it again would write nothing", writesIn(await run(true))],
  ];
  // The archives stay for a look at them; answers are secrets, and do not.
  await rm(fillFile);
  const title = "And the day it is lost: the first stack, wiped, rebuilt from its archive and a fill file";
  const { manifest, summary } = reader;
  return { title, archive: summary, manifest, planned, outcomes, checks: asChecks(findings), requests };
}

/** The fill file of somebody who keeps the stack's passwords in a safe. JSON is YAML. */
function answered(toFill: readonly MissingSecret[], known: Stored): string {
  const lines: Record<string, Record<string, unknown>> = {};
  for (const { key, pointer, context } of toFill) {
    lines[key] = { ...lines[key], [pointer]: { context, value: answerTo(key, pointer, known) } };
  }
  return JSON.stringify(lines, undefined, 2);
}

/** The member as it was, null where there was none. Of an address, the archive keeps the origin. */
function answerTo(key: string, pointer: string, known: Stored): unknown {
  const [kind = "", id] = key.split("/");
  const records = Object.entries(known).find(([name]) => name === kind)?.[1];
  const value = records?.find((record) => record.id === id)?.[pointer.slice(1)] ?? null;
  if (pointer !== "/url" || typeof value !== "string") return value;
  return value.slice(`${new URL(value).origin}/`.length);
}
