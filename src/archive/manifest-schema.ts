import { z } from "zod";
import { ARCHIVE_FORMAT } from "../domain/manifest.ts";
import type { Manifest } from "../domain/manifest.ts";
import { KIND_PATTERN } from "./entry-path.ts";

const kind = z.string().regex(KIND_PATTERN, "not the name of a kind");
const digest = z.string().regex(/^[0-9a-f]{64}$/, "not a sha256 in hex");
const count = z.int().min(0);

const source = z.strictObject({
  variant: z.enum(["managed", "self-hosted"]),
  baseUrl: z.string(),
  organizationId: z.string().exactOptional(),
  serviceId: z.string().exactOptional(),
});

const summary = z.strictObject({
  status: z.enum(["complete", "failed", "not-offered", "not-requested"]),
  count,
  error: z.string().exactOptional(),
});

const entry = z.strictObject({
  path: z.string(),
  kind,
  id: z.string(),
  name: z.string(),
  bytes: count,
  sha256: digest,
});

/** `manifest.json`, format version 1. Our own file, so nothing unknown is let pass. */
export const manifestSchema = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  formatVersion: z.int().min(1),
  createdAt: z.iso.datetime(),
  createdBy: z.strictObject({ name: z.string(), version: z.string() }),
  source,
  contentDigest: digest,
  kinds: z.record(kind, summary),
  entries: z.array(entry),
  redactions: z.array(z.strictObject({ path: z.string(), pointer: z.string(), rule: z.string() })),
  warnings: z.array(z.strictObject({ code: z.string(), message: z.string() })),
}) satisfies z.ZodType<Manifest>;
