import { randomInt } from "node:crypto";
import type { Interceptor } from "../http/interceptor.ts";
import type { SandboxLimit } from "../options.ts";
import type { Stack } from "../routes/route.ts";
import { caseOfIds } from "./case-ids.ts";
import type { Distortion } from "./distortion.ts";
import { droppedFields } from "./dropped-fields.ts";
import { createHold } from "./hold.ts";
import { shiftedPages, staleLists } from "./list-faults.ts";
import type { FaultName, FaultPlan } from "./plan.ts";
import { responseFaults, createFaultResponses } from "./response-faults.ts";
import { createSchedule } from "./schedule.ts";

/** A plan at work. */
export interface Faults {
  /** The seed in use, so that a run by chance can be repeated. */
  readonly seed: number;
  /** The faults of the response, around `inner` where the sandbox has an interceptor of its own. */
  readonly intercept: Interceptor;
  /** The faults of the data. */
  readonly distort: Distortion;
  /** Lets go of every request that a fault holds; none is held from then on. */
  readonly release: () => void;
}

interface Surroundings {
  readonly stack: Stack;
  readonly limit: Required<SandboxLimit> | undefined;
  readonly random: (() => number) | undefined;
  readonly inner: Interceptor | undefined;
  /** Told of every fault that happens. */
  readonly triggered: (fault: FaultName) => void;
}

const SEEDS = 2 ** 32;

export function createFaults(plan: FaultPlan, { stack, limit, random, inner, triggered }: Surroundings): Faults {
  const seed = plan.seed ?? (random === undefined ? randomInt(SEEDS) : Math.floor(random() * SEEDS));
  const schedule = createSchedule(plan, seed, triggered);
  const hold = createHold();
  const spoil = responseFaults(schedule, createFaultResponses(stack, limit), hold);
  // From the store outwards: a page is cut from the list as it shows, ids change case last.
  const distortions = [
    staleLists(schedule, stack),
    shiftedPages(schedule),
    droppedFields(schedule, stack),
    caseOfIds(schedule, stack),
  ];
  return {
    seed,
    intercept: (request, proceed) => spoil(request, async () => (inner ? inner(request, proceed) : proceed())),
    distort: (name, route) => distortions.reduce((inside, distortion) => distortion(name, inside), route),
    release: hold.release,
  };
}
