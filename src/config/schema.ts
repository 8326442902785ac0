import { z } from "zod";
import { editorSchema } from "../core/schemas.ts";
import { RULE_NAME_PATTERN } from "../core/secrets.ts";
import { pacingMembers, stackSchema } from "./stacks/stack-schema.ts";
import { CALENDAR_SPAN } from "./time.ts";

const filled = z.string().min(1);

const count = z.union([z.int().min(0), z.literal("all")]);

/** How many backups to keep for each reason, as in restic; the flags `--keep-…` have the same rules. */
const keepSchema = z.strictObject({
  last: count.exactOptional().describe("The N newest backups, or all"),
  hourly: count.exactOptional().describe("The newest backup in each of the last N hours that have one"),
  daily: count.exactOptional().describe("The newest backup in each of the last N days that have one"),
  weekly: count.exactOptional().describe("The newest backup in each of the last N weeks that have one"),
  monthly: count.exactOptional().describe("The newest backup in each of the last N months that have one"),
  yearly: count.exactOptional().describe("The newest backup in each of the last N years that have one"),
  within: z
    .string()
    .regex(CALENDAR_SPAN, "write 30d or 1y5m7d2h")
    .exactOptional()
    .describe("Backups made within this time before the newest one, such as 30d"),
});

const repositorySchema = z.strictObject({
  url: filled.describe("A folder, or s3://bucket/prefix"),
  endpoint: filled.optional().describe("The address of an object store that is not AWS, for instance https://host"),
  region: filled.optional().describe("The region of the bucket"),
  forcePathStyle: z
    .boolean()
    .optional()
    .describe("Puts the bucket into the path (https://host/bucket/key); true by default if endpoint is set"),
  accessKeyId: filled.optional().describe("The id of the key, as ${env:NAME} or ${file:PATH}"),
  secretAccessKey: filled.optional().describe("The secret of the key, as ${env:NAME} or ${file:PATH}"),
  recipients: z
    .array(filled)
    .min(1)
    .optional()
    .describe("age public keys that every backup in this repository is encrypted for, unless --plain-text is given"),
  sign: filled.optional().describe("File of an Ed25519 private key (PEM) that signs every backup in this repository"),
  signer: filled.optional().describe("File of the Ed25519 public key (PEM) whose signature check and restore demand"),
  identity: filled
    .optional()
    .describe("File of the age secret keys that open the backups; best kept off the machine that makes them"),
  passphraseFile: filled.optional().describe("File of the passphrase that encrypts and opens the backups"),
  keep: keepSchema.optional().describe("Retention rules for backup and prune"),
});

export type RetentionPolicy = z.output<typeof keepSchema>;

/** A repository as written, before `${env:…}` and `${file:…}` are filled in. */
export type ConfiguredRepository = z.output<typeof repositorySchema>;

const rule = z.string().regex(RULE_NAME_PATTERN, "a rule's name may contain only small letters, digits and -");
const expression = filled.refine(isExpression, "not a regular expression, or one that matches the empty text");

const pattern = z.strictObject({
  rule: rule.describe("The rule's name, which the placeholder in place of the secret shows"),
  pattern: expression.describe("A regular expression that matches the secret"),
});

const exception = z
  .strictObject({
    rule: rule.exactOptional().describe("The rule that redacts the value"),
    kind: filled.exactOptional().describe("The kind of the record, for instance dashboards"),
    pointer: z.string().startsWith("/").exactOptional().describe("A JSON pointer; * stands for any one part"),
    name: filled.exactOptional().describe("The name of the member"),
    pattern: expression.exactOptional().describe("A regular expression that matches the whole value"),
  })
  .refine(
    (members) => Object.keys(members).length > 0,
    "an exception needs at least one of rule, kind, pointer, name and pattern",
  );

/** `redaction:` of the configuration file (docs/redaction.md). */
const redactionSchema = z.strictObject({
  names: z.array(filled).exactOptional().describe("More names of members whose values are credentials"),
  patterns: z.array(pattern).exactOptional().describe("Your own forms of secrets"),
  exceptions: z
    .array(exception)
    .exactOptional()
    .describe("Exceptions: values that stay although a rule matches; every given member must match"),
});

function isExpression(source: string): boolean {
  try {
    // A pattern that matches the empty text would put a placeholder between every two letters.
    return !new RegExp(`^(?:${source})$`, "u").test("");
  } catch {
    return false;
  }
}

const backupSchema = z.strictObject({
  minShare: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe(
      "A backup is suspect if it has less than this share of the last good one's records of a kind; 0.5 by default",
    ),
});

/** Matches a valid name of a stack. The name becomes part of file names, and must never look like an address. */
export const STACK_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const stackName = z.string().regex(STACK_NAME_PATTERN, "a stack's name may contain only letters, digits, . - and _");

/** `stackferry.yaml` (docs/configuration.md), for the program and for editors. The file is our own, so unknown members are refused. */
export const configSchema = z.strictObject({
  defaults: z
    .strictObject(pacingMembers)
    .optional()
    .describe("Defaults for every stack; a stack's own settings override them"),
  repositories: z
    .record(stackName, repositorySchema)
    .optional()
    .describe("Where backups are kept, by the name that REPO arguments use"),
  journals: filled.optional().describe("Folder of the journals and locks of imports; .stackferry by default"),
  backup: backupSchema.optional().describe("When a backup is suspect"),
  redaction: redactionSchema.optional().describe("Secrets that exports redact in addition to the built-in rules"),
  stacks: z.record(stackName, stackSchema).optional().describe("The stacks, by the name that STACK arguments use"),
});

export type ConfigFile = z.output<typeof configSchema>;

export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return editorSchema(configSchema, "stackferry.yaml", "Configuration of stackferry");
}
