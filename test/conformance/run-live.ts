import { createCall, type Answer, type Call, type Sleep } from "./call-stack.ts";
import { memberAt } from "./compare.ts";
import { isTriedOn, type FullRule } from "./rule.ts";
import { tryRule } from "./try-rule.ts";
import { openWorld } from "./world.ts";

export interface LiveRun {
  /** The stack's address, such as `http://stack.example.com:8000`. */
  readonly url: string;
  readonly key: string;
  /** Whether to run on a stack that holds records. */
  readonly force: boolean;
  readonly rules: readonly FullRule[];
  readonly sleep: Sleep;
  readonly tell: (line: string) => void;
}

export interface LiveOutcome {
  readonly held: number;
  /** A line for each rule that does not hold. */
  readonly failed: readonly string[];
  /** Number of rules that were not tried because the stack holds other records. */
  readonly left: number;
}

/** Kinds of which a fresh installation has no records. It has a connection and sources of its own. */
const KINDS = ["dashboards", "alerts", "webhooks", "saved-searches"];

/** Tries the rules on a live self-hosted stack. Removes the records that it has created, even after an error. */
export async function runLive({ url, key, force, rules, sleep, tell }: LiveRun): Promise<LiveOutcome> {
  const base = `${url.replace(/\/+$/, "")}/api/v2`;
  const call = createCall({ variant: "self-hosted", base, authorization: `Bearer ${key}` }, sleep);
  const holds = await recordsOnStack(call);
  if (holds.length > 0 && !force)
    throw new Error(
      `the stack holds ${holds.join(", ")}: nothing was tried. STACKFERRY_CONFORMANCE_FORCE=1 tries it all the same.`,
    );
  const ours = rules.filter((rule) => isTriedOn(rule, "self-hosted"));
  const tried = ours.filter(({ alone }) => holds.length === 0 || alone === undefined);
  const failed: string[] = [];
  const world = await openWorld(call, "self-hosted");
  try {
    for (const [index, rule] of tried.entries()) {
      const wrong = await tryRule(world, rule);
      const label = `${rule.topic}: ${rule.rule}`;
      if (wrong.length > 0) failed.push(`${label}: ${wrong.join("; ")}`);
      tell(`${index + 1}/${tried.length} ${wrong.length === 0 ? "holds" : "FAILS"} ${label}`);
    }
  } finally {
    await world.clear(0);
  }
  return { held: tried.length - failed.length, failed, left: ours.length - tried.length };
}

async function recordsOnStack(call: Call): Promise<string[]> {
  const found: string[] = [];
  for (const kind of KINDS) {
    const answer = await call("GET", kind);
    const count = countIn(answer);
    if (count === undefined) throw new Error(`GET ${kind} answers ${answer.status} ${answer.words.slice(0, 200)}`);
    if (count > 0) found.push(`${count} ${kind}`);
  }
  return found;
}

function countIn({ status, content }: Answer): number | undefined {
  const records = memberAt(content, "records");
  return status === 200 && Array.isArray(records) ? records.length : undefined;
}
