import { z } from "zod";
import { parseDuration } from "./duration.ts";
import { holdsSlot } from "./expand-value.ts";
import { MAX_CONCURRENCY } from "./pacing.ts";
import { parseRate } from "./rate.ts";

const filled = z.string().min(1);

/** A text to be read as something else; one with `${env:…}` or `${file:…}` in it is kept until that is filled in. */
function readAs<T>(read: (text: string) => T | undefined, expected: string): z.ZodType<T | string, string> {
  return z.string().transform((text, context) => {
    if (holdsSlot(text)) return text;
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue(`expected ${expected}`);
    return z.NEVER;
  });
}

/** How hard a stack may be asked: members of `defaults`, of a profile and of a stack. */
export const pacingMembers = {
  concurrency: z.int().min(1).max(MAX_CONCURRENCY).optional().describe("Requests at a time"),
  rate: readAs(parseRate, "a rate, for instance 10/10s").optional().describe("Most requests per time: 10/10s"),
  timeout: readAs(parseDuration, "a duration, for instance 30s").optional().describe("Time for one answer: 30s"),
};

const common = {
  ...pacingMembers,
  baseUrl: filled.describe("Address without /api/v2 or /v1/organizations/…"),
  caFile: filled.optional().describe("PEM file of certificates to trust, relative to this file"),
  allowHttp: z.boolean().optional().describe("Send the credential over plain http beyond this machine"),
};

const managed = z.strictObject({
  variant: z.literal("managed"),
  ...common,
  organizationId: filled,
  serviceId: filled,
  keyId: filled.optional().describe("Better ${env:NAME} or ${file:PATH} than the key itself"),
  keySecret: filled.optional().describe("Better ${env:NAME} or ${file:PATH} than the secret itself"),
  segments: z
    .strictObject({ stack: filled.optional(), pipes: filled.optional() })
    .optional()
    .describe("The words this deployment uses in its paths"),
  pipeIds: z.array(filled).optional().describe("Pipes to back up: the API has no list of them"),
});

const selfHosted = z.strictObject({
  variant: z.literal("self-hosted"),
  ...common,
  apiKey: filled.optional().describe("Personal API Access Key; better ${env:NAME} or ${file:PATH} than the key itself"),
});

/** One stack, complete: what its profiles give is in it already. */
export const stackSchema = z.discriminatedUnion("variant", [managed, selfHosted]);

/** One stack of the configuration file, `${env:…}` and `${file:…}` not yet filled in. */
export type ConfiguredStack = z.output<typeof stackSchema>;

/** A set of members for stacks to take over: any of either variant. */
export const profileSchema = z
  .strictObject({ ...managed.shape, ...selfHosted.shape, variant: z.enum(["managed", "self-hosted"]) })
  .partial();

/** The profiles that a stack takes over, the last one strongest; the stack's own members are stronger still. */
export const extendsMember = z
  .union([filled, z.array(filled)])
  .describe("Profiles to take over, the last one strongest");

/** A stack that takes over profiles: as a profile, since any member may come from there. */
export const extendingSchema = profileSchema.extend({ extends: extendsMember });
