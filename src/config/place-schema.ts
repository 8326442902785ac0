import { z } from "zod";

const filled = z.string().min(1);

/** One place of the configuration file. */
export const placeSchema = z.strictObject({
  url: filled.describe("A folder, relative to this file, or s3://bucket/prefix"),
  endpoint: filled.optional().describe("Of an object store that is not AWS: https://host"),
  region: filled.optional(),
  forcePathStyle: z
    .boolean()
    .optional()
    .describe("https://host/bucket/key; true unless told where there is an endpoint"),
  accessKeyId: filled.optional().describe("Better ${env:NAME} or ${file:PATH} than the key itself"),
  secretAccessKey: filled.optional().describe("Better ${env:NAME} or ${file:PATH} than the secret itself"),
});

/** A place as written, `${env:…}` and `${file:…}` not yet filled in. */
export type ConfiguredPlace = z.output<typeof placeSchema>;
