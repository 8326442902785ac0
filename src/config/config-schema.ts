import { z } from "zod";
import { applyProfiles } from "./apply-profiles.ts";
import { placeSchema } from "./place-schema.ts";
import { redactionSchema } from "./redaction-schema.ts";
import { extendingSchema, pacingMembers, profileSchema, stackSchema } from "./stack-schema.ts";

// The name becomes part of file names and must never look like an address.
const stackName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "a stack's name has letters, digits, . - and _ only");

/** The members of `stackferry.yaml` besides profiles and stacks. Our own file, so nothing unknown is let pass. */
const settings = {
  defaults: z.strictObject(pacingMembers).optional().describe("What holds for every stack that does not say otherwise"),
  places: z.record(stackName, placeSchema).optional().describe("Where backups are kept, by the name that PLACE uses"),
  redaction: redactionSchema.optional().describe("What exports take out besides what they always do"),
};

/** The file as an editor is told of it (`schema/stackferry.schema.json`). */
export const configFileSchema = z.strictObject({
  ...settings,
  profiles: z.record(z.string(), profileSchema).optional().describe("Sets of members that stacks take over"),
  stacks: z
    .record(stackName, z.union([...stackSchema.options, extendingSchema]))
    .optional()
    .describe("The stacks, by the name that STACK arguments use"),
});

const members = z.looseObject({});

/** `stackferry.yaml` (docs/operations.md), profiles applied. */
export const configSchema = z
  .strictObject({
    ...settings,
    profiles: z.record(z.string(), members).optional(),
    stacks: z.record(stackName, members).optional(),
  })
  .transform(applyProfiles);

/** The configuration file, checked. */
export type ConfigFile = z.output<typeof configSchema>;
