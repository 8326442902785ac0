import { resolve } from "node:path";
import { z } from "zod";
import { stackIdentitySchema } from "../../core/records/stack-identity.ts";
import { StackferryError } from "../../core/errors.ts";
import { parseJsonAs } from "../../core/json.ts";
import { IdMap } from "../../core/plan/id-map.ts";
import { itemKey, type Plan, type PlanItem } from "../../core/plan/plan.ts";
import { recordKey, isSameStack, type StackRecord } from "../../core/records/record.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { writePrivateFile, refuseOtherFile } from "../../files/atomic-write.ts";
import { fileError } from "../../files/errors.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import { knownKind } from "../../kinds/registry.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { programName } from "../../library/steps/version.ts";
import { fingerprint, recordFingerprint } from "../../references/record-content.ts";
import { findReferences, rewriteReferences } from "../../references/references.ts";
import type { Session } from "../program/session.ts";
import { stackNameAndAddress } from "../wiring/stack.ts";
import type { PlannedImport } from "./result.ts";

const FORMAT = "stackferry-plan";

const writeSchema = z.object({
  action: z.enum(["create", "update", "delete"]),
  kind: z.string(),
  id: z.string(),
  name: z.string(),
  targetId: z.string().exactOptional(),
  /** Digest of the record with the target's ids and without secrets, and of the settings that decide how it is written. */
  source: z.string(),
  /** Digest of the target's record that is overwritten or deleted; empty for a create. */
  target: z.string(),
});

const planFileSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  target: stackIdentitySchema,
  writes: z.array(writeSchema),
});

type PlannedWrite = z.infer<typeof writeSchema>;

/** A saved plan: every write, with digests in place of contents. It contains no secret and no body (docs/migrate.md). */
export type PlanFile = z.infer<typeof planFileSchema>;

/** Saves a plan in a file. An existing file that is not a plan is not replaced. */
export async function writePlanFile(path: string, planned: PlannedImport, session: Session): Promise<void> {
  const file: PlanFile = {
    format: FORMAT,
    version: 1,
    createdAt: new Date(session.startedAt).toISOString(),
    createdBy: programName(),
    target: planned.target.settings.identity,
    writes: plannedWrites(planned),
  };
  const full = resolve(session.io.cwd, path);
  await refuseOtherFile(full, new RegExp(`"format": "${FORMAT}"`), "a plan");
  await writePrivateFile(full, session.outputScrubber.scrub(`${JSON.stringify(file, undefined, 2)}\n`));
  session.note(`wrote ${path}\n`);
}

/** Returns undefined for a file of another format. @throws StackferryError if the file cannot be read */
export async function readPlanFile(path: string, session: Session): Promise<PlanFile | undefined> {
  const full = resolve(session.io.cwd, path);
  let text: string;
  try {
    text = await readRegularFile(full);
  } catch (error) {
    throw fileError("read the plan", full, error);
  }
  return parseJsonAs(planFileSchema, text);
}

/**
 * Refuses a plan whose writes differ from those of the saved plan. Nothing has been written at this point.
 * @throws StackferryError `plan-changed` with every difference, `usage` for a file that is no plan or is for another stack
 */
export async function refuseOtherPlan(path: string, planned: PlannedImport, session: Session): Promise<void> {
  const { settings } = planned.target;
  const saved = await readPlanFile(path, session);
  if (saved === undefined) {
    throw new StackferryError("usage", `${path} is not a plan that this version can read`, {
      hint: "--dry-run --plan-out writes one",
    });
  }
  if (!isSameStack(saved.target, settings.identity)) {
    throw new StackferryError("usage", `${path} is a plan for another stack than ${stackNameAndAddress(settings)}`, {
      hint: `the saved plan is for ${saved.target.baseUrl}`,
    });
  }
  const version = programName();
  const differences = [
    ...(saved.createdBy === version ? [] : [`the plan was made by ${saved.createdBy}, and this is ${version}`]),
    ...differencesOf(saved.writes, asSaved(plannedWrites(planned), session)),
  ];
  if (differences.length === 0) return;
  throw new StackferryError(
    "plan-changed",
    `${path} no longer applies: ${pluralize(differences.length, "difference")}; nothing was written`,
    {
      faults: differences,
      hint: "make a new plan with --dry-run --plan-out, and have it approved; to go on with a stopped run, repeat its command without --plan",
    },
  );
}

/** Removes secrets of this run from the names, as `writePlanFile` does. */
function asSaved(writes: readonly PlannedWrite[], { outputScrubber }: Session): PlannedWrite[] {
  return z.array(writeSchema).parse(JSON.parse(outputScrubber.scrub(JSON.stringify(writes))));
}

function differencesOf(saved: readonly PlannedWrite[], planned: readonly PlannedWrite[]): string[] {
  const keyOf = ({ kind, id, action }: PlannedWrite): string => `${recordKey(kind, id)} ${action === "delete"}`;
  const before = new Map(saved.map((write) => [keyOf(write), write]));
  const after = new Map(planned.map((write) => [keyOf(write), write]));
  const repeated = saved.filter((write) => before.get(keyOf(write)) !== write);
  const unneeded = saved.flatMap((write) => (after.has(keyOf(write)) ? [] : [`${textOf(write)} is no longer needed`]));
  const changed = planned.flatMap((write) => {
    const old = before.get(keyOf(write));
    if (old === undefined) return [`${textOf(write)} is not in the plan`];
    // A write with another name is a difference, because people approve a write by its name.
    if (old.action !== write.action || old.targetId !== write.targetId || old.name !== write.name)
      return [`${textOf(old)} would now be: ${textOf(write)}`];
    const sides = [
      ...(old.source === write.source ? [] : ["the content to write differs from the plan"]),
      ...(old.target === write.target ? [] : ["the target's record was changed since"]),
    ];
    return sides.length === 0 ? [] : [`${textOf(write)}: ${sides.join(", and ")}`];
  });
  return [...repeated.map((write) => `${textOf(write)} is in the plan twice`), ...unneeded, ...changed];
}

/** Describes a write: `update dashboard "Checkout" (6b07…)`. */
function textOf({ action, kind, name, id, targetId = id }: PlannedWrite): string {
  return `${action} ${nounOf(kind)} "${name}" (${targetId})`;
}

function plannedWrites({ plan, records, request }: PlannedImport): PlannedWrite[] {
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const ids = new IdMap(plan.ids);
  const naming = JSON.stringify([request.options.namePrefix]);
  const writes = plan.items.flatMap((item): PlannedWrite[] => {
    const { kind, sourceId: id, name, action, targetId, replaces } = item;
    if (action !== "create" && action !== "update") return [];
    const record = byKey.get(itemKey(item));
    const target = replaces === undefined ? "" : recordFingerprint(knownKind(kind), replaces.body);
    const source = fingerprint([howOf(item), naming, record === undefined ? "" : translatedDigest(record, plan, ids)]);
    return [{ action, kind, id, name, ...(targetId !== undefined && { targetId }), source, target }];
  });
  const deletes = (plan.mirror?.removals ?? []).flatMap(
    ({ action, kind, sourceId: id, name, targetId, targetRecord }): PlannedWrite[] => {
      if (action !== "delete") return [];
      const target = targetRecord === undefined ? "" : recordFingerprint(knownKind(kind), targetRecord.body);
      return [{ action, kind, id, name, targetId, source: "", target }];
    },
  );
  return [...writes, ...deletes];
}

function translatedDigest({ kind, body }: StackRecord, { knownIds }: Plan, ids: IdMap): string {
  const descriptor = knownKind(kind);
  return recordFingerprint(
    descriptor,
    rewriteReferences(body, findReferences(descriptor, body, knownIds), ids, knownIds),
  );
}

/** Returns everything that decides how a record is written, except the record's own content. */
function howOf({
  code,
  dependsOn,
  linksTo,
  rewrites,
  leftOut,
  transformed,
  fitted,
  changes,
  mapped,
  targetName,
  parts,
}: PlanItem): string {
  const how = { code, dependsOn, linksTo, rewrites, leftOut, transformed, fitted, changes, mapped, targetName, parts };
  return JSON.stringify(how);
}

export function planFileText({ createdAt, createdBy, target, writes }: PlanFile): string {
  const lines = writes.map((write) => `  ${printableText(textOf(write))}\n`);
  const head = `${printableText(`Plan of ${createdAt.slice(0, 16).replace("T", " ")} UTC by ${createdBy}, for ${target.baseUrl} (${target.variant})`)}\n`;
  return [
    head,
    ...lines,
    `${pluralize(writes.length, "write")}. It is carried out with --plan, if nothing has changed.\n`,
  ].join("");
}
