import { sandboxError } from "../sandbox-error.ts";
import type { FaultPlan } from "./fault-plan.ts";
import { faultPlanSchema } from "./fault-plan.ts";

/** A plan of faults out of parsed JSON. Throws `sandbox-usage` naming the path of every slip, never a value. */
export function parseFaults(value: unknown): FaultPlan {
  const parsed = faultPlanSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const slips = parsed.error.issues.map(({ path, message }) => `${["faults", ...path].join(".")}: ${message}`);
  throw sandboxError("sandbox-usage", `plan of faults refused: ${slips.join("; ")} (docs/faults.md has every fault)`);
}
