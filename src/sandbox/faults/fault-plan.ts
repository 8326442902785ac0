import { z } from "zod";
import { FAULT_ROUTES, isOnRoute } from "./fault-routes.ts";

/** Faults of the answer: at most one of them befalls a request. */
export const ANSWER_FAULTS = [
  "429",
  "500",
  "500-after",
  "reset",
  "reset-after",
  "slow",
  "never",
  "never-after",
  "truncated",
  "html-502",
  "html-502-after",
] as const;

// What a timer takes; more would fire at once.
const MAX_MS = 2_147_483_647;

const natural = z.number().int().min(0);
const ordinal = z.number().int().min(1);
const ms = natural.max(MAX_MS).optional();

const when = {
  route: z.string().optional(),
  rate: z.number().min(0).max(1).optional(),
  nth: z
    .union([ordinal, z.array(ordinal).min(1).readonly()], "a request's number or a list of them, from 1")
    .optional(),
  times: natural.optional(),
};

const simple = z.enum([
  ...ANSWER_FAULTS.filter((fault) => fault !== "429" && fault !== "slow"),
  "case-ids",
  "page-skip",
  "page-repeat",
]);

const rule = z.discriminatedUnion("fault", [
  z.strictObject({ fault: simple, ...when }),
  z.strictObject({ fault: z.literal("429"), headers: z.boolean().optional(), ...when }),
  z.strictObject({ fault: z.enum(["slow", "stale-list"]), ms, ...when }),
  z.strictObject({
    fault: z.literal("drop-field"),
    field: z.string().regex(/^[^.]+(?:\.[^.]+)*$/, "a member path such as tags or tiles.config"),
    ...when,
  }),
]);

/** One line of a plan: a fault, on which requests, and how often. */
export type FaultRule = z.output<typeof rule>;
export type FaultName = FaultRule["fault"];

/** The rules of one fault, with its own members. */
export type RuleOf<Name extends FaultName> = FaultRule & { readonly fault: Name };

export const faultPlanSchema = z.strictObject({
  seed: z.number().int().optional(),
  rules: z.array(rule.superRefine(refuseIdle)).readonly(),
  quietAfter: natural.optional(),
});

/** Which faults a sandbox has, and when. The same seed and requests give the same faults; no seed is one by chance. */
export type FaultPlan = z.output<typeof faultPlanSchema>;

/** A rule that can never fire is a slip of the pen, and a test resting on it would prove nothing. */
function refuseIdle({ fault, route, rate, nth }: FaultRule, context: z.RefinementCtx): void {
  const refuse = (member: string, message: string): void =>
    context.addIssue({ code: "custom", path: [member], message });
  if (rate !== undefined && nth !== undefined) refuse("nth", "a rule has a rate or an nth, not both");
  if (!FAULT_ROUTES.some((name) => isOnRoute(fault, route, name))) refuse("route", `never meets the fault ${fault}`);
}
