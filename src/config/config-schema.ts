import { z } from "zod";
import { parseDuration } from "./duration.ts";
import { MAX_CONCURRENCY } from "./pacing.ts";
import { parseRate } from "./rate.ts";

const filled = z.string().min(1);
const duration = z
  .string()
  .transform((text, context) => parseDuration(text) ?? refuse(context, "a duration, for instance 30s"));
const rate = z.string().transform((text, context) => parseRate(text) ?? refuse(context, "a rate, for instance 10/10s"));
const concurrency = z.int().min(1).max(MAX_CONCURRENCY);

const common = {
  baseUrl: filled,
  rate: rate.optional(),
  timeout: duration.optional(),
  concurrency: concurrency.optional(),
  caFile: filled.optional(),
  allowHttp: z.boolean().optional(),
};

const managed = z.strictObject({
  variant: z.literal("managed"),
  ...common,
  organizationId: filled,
  serviceId: filled,
  keyId: filled.optional(),
  keySecret: filled.optional(),
  segments: z.strictObject({ stack: filled.optional(), pipes: filled.optional() }).optional(),
  pipeIds: z.array(filled).optional(),
});

const selfHosted = z.strictObject({
  variant: z.literal("self-hosted"),
  ...common,
  apiKey: filled.optional(),
});

// The name becomes part of file names and must never look like an address.
const stackName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "a stack's name has letters, digits, . - and _ only");

/** `stackferry.yaml` (docs/operations.md). Our own file, so nothing unknown is let pass. */
export const configSchema = z.strictObject({
  defaults: z
    .strictObject({ concurrency: concurrency.optional(), rate: rate.optional(), timeout: duration.optional() })
    .optional(),
  stacks: z.record(stackName, z.discriminatedUnion("variant", [managed, selfHosted])).optional(),
});

/** One stack of the configuration file, `${env:…}` and `${file:…}` not yet filled in. */
export type ConfiguredStack = z.output<typeof managed> | z.output<typeof selfHosted>;

/** The configuration file, checked. */
export type ConfigFile = z.output<typeof configSchema>;

function refuse(context: z.core.$RefinementCtx, expected: string): never {
  context.addIssue(`expected ${expected}`);
  return z.NEVER;
}
