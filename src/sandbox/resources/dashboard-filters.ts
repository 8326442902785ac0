import { z } from "zod";
import { isObject, without } from "../store/record.ts";
import type { SandboxRelease, SandboxVariant } from "../variant.ts";

const SOURCE_METRIC_TYPES = ["gauge", "histogram", "sum", "summary", "exponential histogram"] as const;

// In the order of responses; an update moves the id to the front.
const described = {
  type: z.literal("QUERY_EXPRESSION"),
  name: z.string().min(1),
  expression: z.string().min(1),
  sourceMetricType: z.enum(SOURCE_METRIC_TYPES).optional(),
  where: z.string().optional(),
  whereLanguage: z.enum(["sql", "lucene"]).optional(),
  appliesToSourceIds: z.array(z.string()).optional(),
};
const members = {
  ...described,
  isBroadcastEnabled: z.boolean().optional(),
  isVariableEnabled: z.boolean().optional(),
  variableName: z
    .string()
    .max(64)
    .regex(/^[A-Za-z]\w*$/, "Invalid")
    .optional(),
};
const sourceId = z.string();
const id = z.string();

const newFilter = z.strictObject({ ...members, sourceId });
type Filter = z.output<typeof newFilter>;

const WHOLE = {
  created: z.array(newFilter).superRefine(checkFilters),
  kept: z.array(z.strictObject({ id, ...members, sourceId })).superRefine(checkFilters),
};
const WITHOUT_VARIABLES = {
  created: z.array(withoutVariables(z.strictObject({ ...described, sourceId }))),
  kept: z.array(withoutVariables(z.strictObject({ id, ...described, sourceId }))),
};

/** Filters of a create and of an update. Unlike the other members of a dashboard they are strict; an update requires the id. */
export function filtersOf(variant: SandboxVariant, release: SandboxRelease) {
  return variant === "managed" && release === "published" ? WITHOUT_VARIABLES : WHOLE;
}

/** Drops the member that the gateway does not describe, before the server sees it. */
function withoutVariables<Out>(schema: z.ZodType<Out>): z.ZodType<Out> {
  return z.preprocess((filter) => (isObject(filter) ? without(filter, ["isVariableEnabled"]) : filter), schema);
}

/** A new filter as stored: the id before the source. */
export const createdFilter = z.object({ ...members, id, sourceId });

/** A filter broadcasts its value, or is a variable with a unique name, or both (docs/api.md#dashboard-members). */
function checkFilters(filters: readonly Filter[], context: z.RefinementCtx): void {
  const names = new Set<string>();
  for (const [index, filter] of filters.entries()) {
    const fault = (member: keyof Filter, message: string): void =>
      context.addIssue({ code: "custom", path: [index, member], message });
    const { name, isVariableEnabled = false, isBroadcastEnabled = true, variableName } = filter;
    if (variableName !== undefined && !isVariableEnabled) {
      const rule = "set isVariableEnabled to true or drop variableName";
      fault("variableName", `Filter "${name}" sets variableName but is not available as a variable; ${rule}`);
    }
    if (!isBroadcastEnabled && !isVariableEnabled) {
      fault("isBroadcastEnabled", `Filter "${name}" must broadcast its value, be available as a variable, or both`);
    }
    if (!isBroadcastEnabled && filter.appliesToSourceIds !== undefined) {
      const rule = "set isBroadcastEnabled to true or drop appliesToSourceIds";
      fault("appliesToSourceIds", `Filter "${name}" sets appliesToSourceIds but does not broadcast its value; ${rule}`);
    }
    if (!isVariableEnabled) continue;
    const variable = variableName ?? derivedName(name);
    if (variable === "") fault("variableName", `Variable name is required for filter "${name}"`);
    else if (names.has(variable)) fault("variableName", `Variable names must be unique: "${variable}"`);
    names.add(variable);
  }
}

/** The variable name of a filter that does not set one. */
function derivedName(name: string): string {
  return name
    .replaceAll(/\W+/g, "_")
    .replace(/^[^A-Za-z]+/, "")
    .replace(/_+$/, "");
}
