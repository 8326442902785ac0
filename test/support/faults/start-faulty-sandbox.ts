import { startSandbox as startConnectedSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { startSandbox, type Interceptor, type Sandbox, type SandboxOptions } from "../start-sandbox.ts";
import { createDataFaults } from "./data-faults.ts";
import { createSchedule, type FaultPlan } from "./fault-plan.ts";
import { createResponseFaults } from "./response-faults.ts";

/** Options of a sandbox that fails on purpose. The faults run before the interceptor. */
export interface FaultyOptions extends SandboxOptions {
  readonly faults?: FaultPlan;
}

export interface FaultySandbox extends Sandbox {
  /** How often each fault has occurred. */
  readonly faultCounts: () => Readonly<Record<string, number>>;
}

/** Starts a sandbox, with a plan of when it fails. Without a plan, nothing fails. */
export async function startFaultySandbox({
  faults = { rules: [] },
  ...options
}: FaultyOptions): Promise<FaultySandbox> {
  const counts: Record<string, number> = {};
  const schedule = createSchedule(faults, (fault) => (counts[fault] = (counts[fault] ?? 0) + 1));
  const { intercept: outer, release } = createResponseFaults(schedule, options);
  const { intercept: inner } = options;
  const intercept: Interceptor = (request, proceed) =>
    outer(request, async () => (inner ? inner(request, proceed) : proceed()));
  // Without rules, nothing fails and `fetch` needs no connection. Faults of responses need one.
  const sandbox =
    faults.rules.length === 0
      ? await startSandbox(options)
      : await startConnectedSandbox({ ...options, intercept }, createDataFaults(schedule));
  const close = (): Promise<void> => {
    release();
    return sandbox.close();
  };
  return { ...sandbox, faultCounts: () => counts, close, [Symbol.asyncDispose]: close };
}
