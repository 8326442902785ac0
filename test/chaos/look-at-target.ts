import { checkMove, readStack } from "../../src/cli/demo/independent-check.ts";
import type { StackContent } from "../../src/cli/demo/independent-check.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { SETTLE_MS } from "./chaos-plan.ts";
import type { CreateCount } from "./count-creates.ts";
import { patiently } from "./patiently.ts";

const ID = /(?<![\w-])(?:[\da-f]{24}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\w-])/giu;

/**
 * Reads both stacks over plain HTTP and says what is not as it should be: exactly one of everything, every reference to
 * what has the same name, no id of the source left, and no create carried out twice.
 */
export async function lookAtTarget(source: Sandbox, target: Sandbox, creates: CreateCount): Promise<string[]> {
  // The lists may lag one last time.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const [before, after] = [await read(source), await read(target)];
  const failed = checkMove(before, after).filter(([, against]) => against.length > 0);
  const twice = [
    ...(creates.dashboards() === before.dashboards.length ? [] : [`${creates.dashboards()} dashboards were created`]),
    ...(creates.alerts() === before.alerts.length ? [] : [`${creates.alerts()} alerts were created`]),
  ];
  return [...failed.map(([what, against]) => `not true: ${what} (${against.slice(0, 3).join("; ")})`), ...twice];
}

/** Ids in one case, as a fault may change it. */
async function read(sandbox: Sandbox): Promise<StackContent> {
  const content = await patiently(() => readStack(sandbox));
  return JSON.parse(JSON.stringify(content).replaceAll(ID, (id) => id.toLowerCase())) as StackContent;
}
