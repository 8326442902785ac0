import { z } from "zod";

const required = { name: z.string(), host: z.string(), username: z.string() };
const optional = { password: z.string().optional(), isPrometheusEndpoint: z.boolean().optional() };
const PREFIX = /^[a-z0-9_]+$/i;

/** The body of a create; empty strings are taken (recordings 311, 312, 314 to 317). */
export const newConnectionSchema = z.object({
  ...required,
  ...optional,
  hyperdxSettingPrefix: z.string().regex(PREFIX, "Invalid").nullish(),
});

/** The body of an update; an empty prefix clears the stored one (recording 326). */
export const keptConnectionSchema = z.object({
  ...required,
  ...optional,
  hyperdxSettingPrefix: z
    .string()
    .refine((text) => text === "" || PREFIX.test(text), "Invalid")
    .nullish(),
});

export type NewConnection = z.output<typeof newConnectionSchema>;
export type KeptConnection = z.output<typeof keptConnectionSchema>;
