import { z } from "zod";
import { ID_PATTERN } from "../core/records/record.ts";
import { editorSchema } from "../core/schemas.ts";
import { RULE_NAME_PATTERN } from "../core/secrets.ts";
import { kinds } from "../kinds/registry.ts";
import { holdsValueReference } from "./expand-values.ts";
import { MAX_CONCURRENCY } from "./stacks/stack-settings.ts";
import { CALENDAR_SPAN } from "../core/retention-policy.ts";
import { parseDuration, parseRate } from "./time.ts";

const filled = z.string().min(1);

/** The server refuses a write with a longer tag or more tags. */
const TAG_CHARACTERS = 32;
const TAGS = 50;

const text = z.string().refine((value) => !holdsValueReference(value), "${env:…} and ${file:…} are not filled in here");
const filledText = text.min(1, "expected a text that is not empty");
const patterns = z.array(filledText).describe("* stands for any text, ? for one character");

const renamable = kinds.filter(({ nameFields }) => nameFields.name !== undefined).map(({ name }) => name);

/** References to records left out would dangle, so `leaveOut` offers no referenced kinds. */
const referredTo = new Set(kinds.flatMap(({ references }) => references.map(({ to }) => to.split("/")[0])));
const omissible = kinds.filter(({ name, importPolicy }) => importPolicy.when === "always" && !referredTo.has(name));

const rename = z
  .strictObject({
    kind: z
      .enum(renamable)
      .exactOptional()
      .describe("The kind of the records; by default every kind whose names may change"),
    from: filledText.describe("The whole name; * stands for any text"),
    to: filledText.describe(
      "The new name; its first * stands for the text that the first * in from matched, and so on",
    ),
  })
  .refine(({ from, to }) => countStars(to) <= countStars(from), {
    path: ["to"],
    message: 'it has more * than "from": each * in "to" stands for the text of one * in "from"',
  });

const replace = z.strictObject({
  from: filledText
    .refine(isOnlyText, "ids and «redacted:…» cannot be replaced; ids are mapped anyway")
    .describe("The text to look for"),
  to: text
    .refine((value) => !/[«»]/.test(value), "it must not look like a «redacted:…» placeholder")
    .describe("The text in its place"),
});

export const transformsSchema = z.strictObject({
  rename: z.array(rename).exactOptional().describe("New names; the first rule that matches a name applies"),
  tags: z
    .strictObject({
      set: z
        .array(filledText.max(TAG_CHARACTERS, `a tag has at most ${TAG_CHARACTERS} characters`))
        .max(TAGS)
        .exactOptional()
        .describe("Tags that every dashboard has"),
      drop: patterns.exactOptional().describe("Tags that are removed; * stands for any text, ? for one character"),
    })
    .exactOptional()
    .describe("Tags of dashboards: tags that match drop are removed, then the tags of set are added"),
  replace: z.array(replace).exactOptional().describe("Literal texts in URLs and Markdown, replaced one after another"),
  leaveOut: z
    .strictObject(Object.fromEntries(omissible.map(({ name }) => [name, patterns.exactOptional()])))
    .exactOptional()
    .describe("Names of the records that are not written"),
});

function countStars(pattern: string): number {
  return pattern.split("*").length - 1;
}

function isOnlyText(value: string): boolean {
  return !/[«»]/.test(value) && value.search(ID_PATTERN) < 0;
}

function readAs<T>(read: (text: string) => T | undefined, expected: string): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue(`expected ${expected}`);
    return z.NEVER;
  });
}

const pacingMembers = {
  concurrency: z
    .int()
    .min(1)
    .max(MAX_CONCURRENCY)
    .optional()
    .describe("Maximum number of requests at a time; 4 by default"),
  rate: readAs(parseRate, "a rate, for instance 10/10s")
    .optional()
    .describe("Maximum number of requests in a period, for instance 10/10s"),
  timeout: readAs(parseDuration, "a duration, for instance 30s")
    .optional()
    .describe("How long to wait for an answer; 30s by default"),
  consistencyWait: readAs(parseDuration, "a duration, for instance 10s")
    .optional()
    .describe("How long lists may lag behind what an import or a rollback wrote; 10s by default"),
};

export const codeValuesSchema = z.record(
  z.string().regex(/^[A-Za-z_][\w.-]*$/, "expected letters, digits, _, . and -"),
  z.union([z.string(), z.number(), z.boolean()]),
);

const common = {
  ...pacingMembers,
  baseUrl: filled.describe("The address of the API, without /api/v2 or /v1/organizations/…"),
  caFile: filled.optional().describe("PEM file of certificates to trust"),
  kinds: z
    .array(z.enum(kinds.map(({ name }) => name)))
    .nonempty()
    .optional()
    .describe("The kinds to export; no other kind is asked for"),
  headers: z
    .record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "expected the name of a header"), filled)
    .optional()
    .describe("Headers for a gateway in front of the stack, secrets as ${env:NAME} or ${file:PATH}"),
  clientCertificateFile: filled.optional().describe("PEM file of the certificate that a gateway demands"),
  clientKeyFile: filled
    .optional()
    .describe("PEM file of the key of this certificate; by default the key is in the certificate's file"),
  clientKeyPassphrase: filled.optional().describe("The passphrase of this key, as ${env:NAME} or ${file:PATH}"),
  allowHttp: z.boolean().optional().describe("Sends the credential over plain http beyond this machine"),
  transforms: transformsSchema
    .optional()
    .describe("Changes to records of other stacks and of files before they are written to this stack"),
  values: codeValuesSchema.optional().describe("What ${value:NAME} in files stands for on this stack; no secrets"),
};

const managedMembers = {
  variant: z.literal("managed").describe("The cloud control plane's API"),
  ...common,
  organizationId: filled.describe("The organisation that the stack belongs to"),
  serviceId: filled.describe("The service that the stack belongs to"),
  keyId: filled.optional().describe("The id of the API key, as ${env:NAME} or ${file:PATH}"),
  keySecret: filled.optional().describe("The secret of the API key, as ${env:NAME} or ${file:PATH}"),
  segments: z
    .strictObject({
      stack: filled.optional().describe("The segment of a path that stands for the stack; obsstack by default"),
      pipes: filled.optional().describe("The segment of a path that stands for pipes; pipes by default"),
    })
    .optional()
    .describe("The words that this deployment uses in its paths"),
};

const selfHostedMembers = {
  variant: z.literal("self-hosted").describe("The API of a server of your own"),
  ...common,
  apiKey: filled.optional().describe("The Personal API Access Key, as ${env:NAME} or ${file:PATH}"),
};

function saysVariant(variant: string, members: object): z.core.$ZodErrorMap {
  return ({ code, keys }) => {
    const [key] = code === "unrecognized_keys" && Array.isArray(keys) ? keys : [];
    if (typeof key !== "string" || !Object.hasOwn(members, key)) return undefined;
    return `"${key}" goes only with variant: ${variant}`;
  };
}

const managed = z
  .strictObject(managedMembers, { error: saysVariant("self-hosted", selfHostedMembers) })
  .refine(({ keyId, keySecret }) => (keyId === undefined) === (keySecret === undefined), {
    error: "keyId and keySecret go together: one of them is missing",
  });

const selfHosted = z.strictObject(selfHostedMembers, { error: saysVariant("managed", managedMembers) });

const stackSchema = z.discriminatedUnion("variant", [managed, selfHosted]);

/** Values may still be references such as `${env:NAME}`. */
export type ConfiguredStack = z.output<typeof stackSchema>;

const count = z.union([z.int().min(0), z.literal("all")]);

/** The numbers mean the same as in restic and in the flags `--keep-…`. */
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
    pointer: z
      .string()
      .startsWith("/")
      .exactOptional()
      .describe("A JSON pointer; * stands for any text within one step"),
    name: filled.exactOptional().describe("The name of the member"),
    pattern: expression.exactOptional().describe("A regular expression that matches all that would be redacted"),
  })
  .refine(
    (members) => Object.keys(members).length > 0,
    "an exception needs at least one of rule, kind, pointer, name and pattern",
  );

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
    // A match of the empty text would put a placeholder between every two characters.
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

/** The name becomes a part of file names, and never looks like an address. */
export const STACK_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const stackName = z
  .string()
  .regex(
    STACK_NAME_PATTERN,
    "a stack's name may contain only letters, digits, . - and _, and begins with a letter or digit",
  );

/** Unknown members are refused, because no other program uses the file. */
export const configSchema = z.strictObject({
  defaults: z
    .strictObject(pacingMembers)
    .optional()
    .describe("Defaults for every stack; a stack's own settings override them"),
  repositories: z
    .record(stackName, repositorySchema)
    .optional()
    .describe("Where backups are kept, by the name that REPO arguments use"),
  journals: filledText.optional().describe("Folder of the journals and locks of imports; .stackferry by default"),
  backup: backupSchema.optional().describe("When a backup is suspect"),
  redaction: redactionSchema.optional().describe("Secrets that exports redact in addition to the built-in rules"),
  stacks: z.record(stackName, stackSchema).optional().describe("The stacks, by the name that STACK arguments use"),
});

export type ConfigFile = z.output<typeof configSchema>;

export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return editorSchema(configSchema, "stackferry.yaml", "Configuration of stackferry");
}
