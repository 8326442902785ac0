import { checkMove, readStackContent, type StackContent } from "../support/independent-check.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { CONSISTENCY_WAIT_MS } from "./chaos-plan.ts";
import { repeatUntilComplete } from "./repeat-until-complete.ts";
import { WRITTEN_KINDS, type ServerLog } from "./server-log.ts";

const ID = /(?<![\w-])(?:[\da-f]{24}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\w-])/giu;

/**
 * Reads the target over plain HTTP, and returns what is wrong: each record must exist exactly once, each reference must lead
 * to the record of the same name, no id of the source may be left, and changes by somebody else must remain.
 */
export async function checkTarget(
  source: StackContent,
  target: Sandbox,
  { live }: ServerLog,
  changed: ReadonlyMap<string, number>,
): Promise<string[]> {
  // Lists may lag behind the last write.
  await new Promise((resolve) => setTimeout(resolve, CONSISTENCY_WAIT_MS));
  const [before, after] = [inOneCase(source), inOneCase(await repeatUntilComplete(() => readStackContent(target)))];
  const failed = checkMove(before, after).filter(([, against]) => against.length > 0);
  const count = (kind: string): number => [...live.values()].filter((record) => record.kind === kind).length;
  const counts = WRITTEN_KINDS.filter((kind) => count(kind) !== before[kind].length);
  const overwritten = [...changed].filter(([name, threshold]) =>
    after.alerts.every((alert) => (alert["name"] ?? "") !== name || alert["threshold"] !== threshold),
  );
  return [
    ...failed.map(([what, against]) => `not true: ${what} (${against.slice(0, 3).join("; ")})`),
    ...counts.map((kind) => `${count(kind)} ${kind} are there instead of ${before[kind].length}`),
    ...overwritten.map(([name]) => `what somebody else changed about the alert "${name}" was overwritten`),
  ];
}

/** Returns the content with all ids in lower case, because a fault may return them in upper case. */
function inOneCase(content: StackContent): StackContent {
  return JSON.parse(JSON.stringify(content).replaceAll(ID, (id) => id.toLowerCase())) as StackContent;
}
