import { expandValue } from "./expand-value.ts";
import type { ValueSources } from "./expand-value.ts";
import { parsePacing } from "./pacing.ts";
import type { Pacing } from "./pacing.ts";
import type { Rate } from "./rate.ts";

/** Pacing as the configuration file has it: texts are still to be filled in. */
export interface ConfiguredPacing {
  readonly concurrency?: number | undefined;
  readonly rate?: Rate | string | undefined;
  readonly timeout?: number | string | undefined;
}

/**
 * Fills in `${env:…}` and `${file:…}` of rate and timeout and reads what comes of it.
 * @param where the members' parent, for messages (`stacks.production`, `defaults`).
 * @throws StackferryError `config` for a variable or file that is missing, `usage` for a value that is no rate or duration.
 */
export async function expandPacing(pacing: ConfiguredPacing, where: string, sources: ValueSources): Promise<Pacing> {
  const { concurrency, rate, timeout } = pacing;
  const expand = async (member: string, value: unknown): Promise<string | undefined> =>
    typeof value === "string" ? expandValue(value, `${where}.${member}`, sources) : undefined;
  const text = { rate: await expand("rate", rate), timeout: await expand("timeout", timeout) };
  const read = parsePacing(text, (setting) => `${where}.${setting}`);
  return {
    concurrency,
    rate: typeof rate === "string" ? read.rate : rate,
    timeout: typeof timeout === "string" ? read.timeout : timeout,
  };
}
