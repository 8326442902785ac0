import type { Interceptor } from "../../src/sandbox/start-sandbox.ts";

/** How often a stack has carried out a create, by what was sent. */
export interface CreateCount {
  /** Stands behind the faults: it sees what is carried out, whatever becomes of the answer. */
  readonly intercept: Interceptor;
  readonly dashboards: () => number;
  readonly alerts: () => number;
}

/** Counts the creates that were carried out. */
export function countCreates(): CreateCount {
  const counts = { dashboards: 0, alerts: 0 };
  return {
    intercept: async ({ route }, proceed) => {
      const answer = await proceed();
      if (answer.status === 200 && route === "POST dashboards") counts.dashboards += 1;
      if (answer.status === 200 && route === "POST alerts") counts.alerts += 1;
      return answer;
    },
    dashboards: () => counts.dashboards,
    alerts: () => counts.alerts,
  };
}
