import { z } from "zod";

/** The schema of a stack's identity in our own files. */
export const stackIdentitySchema = z.strictObject({
  variant: z.enum(["managed", "self-hosted"]),
  baseUrl: z.string(),
  organizationId: z.string().exactOptional(),
  serviceId: z.string().exactOptional(),
});
