import { z } from "zod";

/** The query of a paged list (docs/api.md#lists). */
export const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  offset: z.coerce.number().int().min(0).default(0),
});
