import { z } from "zod";
import { JOURNAL_FORMAT } from "../domain/journal.ts";

const at = z.iso.datetime();
const key = z.templateLiteral([z.string(), "/", z.string()]);
const write = z.enum(["create", "update", "link", "delete", "restore"]);

const target = z.strictObject({
  variant: z.enum(["managed", "self-hosted"]),
  baseUrl: z.string(),
  organizationId: z.string().optional(),
  serviceId: z.string().optional(),
});

const subject = z.strictObject({
  contentDigest: z.string(),
  target,
  namePrefix: z.string().optional(),
  tags: z.array(z.string()),
});

/** One line of a journal; src/domain/journal.ts says what the members mean. */
export const journalEntrySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("begin"), at, format: z.literal(JOURNAL_FORMAT), version: z.number(), subject }),
  z.strictObject({
    type: z.literal("intent"),
    at,
    key,
    name: z.string(),
    write,
    targetId: z.string().optional(),
    previous: z.record(z.string(), z.unknown()).optional(),
    content: z.string().optional(),
  }),
  z.strictObject({ type: z.literal("done"), at, key, write, targetId: z.string(), content: z.string() }),
  z.strictObject({ type: z.literal("refused"), at, key, write, code: z.string() }),
  z.strictObject({ type: z.literal("end"), at, result: z.enum(["complete", "incomplete", "stopped"]) }),
]);
