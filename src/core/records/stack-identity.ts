import { z } from "zod";

export const stackIdentitySchema = z.strictObject({
  variant: z.enum(["managed", "self-hosted"]),
  baseUrl: z.string(),
  organizationId: z.string().exactOptional(),
  serviceId: z.string().exactOptional(),
});
