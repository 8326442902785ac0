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
  /** The seed in use, so that a random run can be repeated. */
  readonly seed: number;
  /** The faults of the response. Wraps `innerInterceptor` if the sandbox has an interceptor of its own. */
  readonly intercept: Interceptor;
  /** The faults of the data. */
  readonly distort: Distortion;
  /** Releases every request that a fault holds, and holds none from then on. */
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
  // From the store outwards: pages are cut from the stale list, and ids change case last.
  const distortions = [
    staleLists(schedule, stack),
    shiftedPages(schedule),
    droppedFields(schedule, stack),
    caseOfIds(schedule, stack),
  ];
  return {
    seed,
    intercept: (request, proceed) =>
      interceptor(request, async () => (innerInterceptor ? innerInterceptor(request, proceed) : proceed())),
    distort: (name, route) =>
      distortions.reduce((distortedRoute, distortion) => distortion(name, distortedRoute), route),
    release: hold.release,
  };
}
