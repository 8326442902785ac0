import { ignoreEvents } from "../../src/core/events.ts";
import type { Probe } from "../../src/import/apply/probe-sources.ts";
import { probeSources } from "../../src/import/apply/probe-sources.ts";
import type { StageRun } from "./import-stage.ts";
import { instantClock } from "./instant-clock.ts";
import type { MemoryStack } from "./memory-stack.ts";

/** Asks a target for the data of the sources that a run has matched. */
export function probe(stack: MemoryStack, { plan }: StageRun): Promise<Probe[]> {
  const input = { client: stack.client, matches: plan.matches, clock: instantClock() };
  return probeSources(input, { events: ignoreEvents });
}
