import { randomInt } from "node:crypto";
import type { Interceptor, SandboxLimit } from "../options.ts";
import type { Stack } from "../resources/route.ts";
import type { Distortion } from "./data-faults.ts";
import { caseOfIds, droppedFields, shiftedPages, staleLists } from "./data-faults.ts";
import { createHold, responseFaults, createFaultResponses } from "./response-faults.ts";
import type { FaultName, FaultPlan } from "./plan.ts";
import { createSchedule } from "./plan.ts";

/** A fault plan in use. */
export interface Faults {
  /** The seed of the plan's random choices, so that a run with a random seed can be repeated. */
  readonly seed: number;
  /** The interceptor for faults of the response. If the caller of the sandbox gave an interceptor, this one wraps it. */
  readonly intercept: Interceptor;
  /** The faults of the data: changes a route so that it stores or returns wrong data. */
  readonly distort: Distortion;
  /** Releases every request that a fault holds. Later requests are not held either. */
  readonly release: () => void;
}

interface Surroundings {
  readonly stack: Stack;
  readonly limit: Required<SandboxLimit> | undefined;
  readonly random: (() => number) | undefined;
  readonly innerInterceptor: Interceptor | undefined;
  /** Called for every fault that occurs. */
  readonly onTrigger: (fault: FaultName) => void;
}

const SEEDS = 2 ** 32;

export function createFaults(
  plan: FaultPlan,
  { stack, limit, random, innerInterceptor, onTrigger }: Surroundings,
): Faults {
  const seed = plan.seed ?? (random === undefined ? randomInt(SEEDS) : Math.floor(random() * SEEDS));
  const schedule = createSchedule(plan, seed, onTrigger);
  const hold = createHold();
  const interceptor = responseFaults(schedule, createFaultResponses(stack, limit), hold);
  // The order is from the store outwards: pages are cut from the stale list, and the case of ids changes last.
  const distortions = [staleLists(schedule), shiftedPages(schedule), droppedFields(schedule), caseOfIds(schedule)];
  return {
    seed,
    intercept: (request, proceed) =>
      interceptor(request, async () => (innerInterceptor ? innerInterceptor(request, proceed) : proceed())),
    distort: (name, route) =>
      distortions.reduce((distortedRoute, distortion) => distortion(name, distortedRoute), route),
    release: hold.release,
  };
}
