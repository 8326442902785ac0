import { z } from "zod";
import { MAX_CONCURRENCY, parseRate } from "../pacing.ts";
import { parseDuration } from "../time.ts";
import { kinds } from "../../kinds/registry.ts";
import { ID_PATTERN } from "../../core/records/record.ts";
import { holdsValueReference } from "../expand-values.ts";

/** Limits of tags (docs/api.md#dashboards). */
const TAG_CHARACTERS = 32;
const TAGS = 50;

const text = z.string().refine((value) => !holdsValueReference(value), "${env:…} and ${file:…} are not filled in here");
const filledText = text.min(1, "expected a text that is not empty");
const patterns = z.array(filledText).describe("* stands for any text, ? for one character");

const renamable = kinds.filter(({ nameFields }) => nameFields.name !== undefined).map(({ name }) => name);

/** Kinds that others can reference. Their records cannot be left out, because references to them would dangle. */
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

/** `transforms:` of a stack: the changes to records of other stacks and of files before they are written to this stack. */
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

const filled = z.string().min(1);

function readAs<T>(read: (text: string) => T | undefined, expected: string): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue(`expected ${expected}`);
    return z.NEVER;
  });
}

/** The pacing members that `defaults` and stacks can have. */
export const pacingMembers = {
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

/** The values of the placeholders in files: `values:` of a stack, and the file of `--values`. */
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

/** Makes the error for a member that only the other variant has. Any other unknown member gets the usual error. */
function saysVariant(variant: string, members: object): z.core.$ZodErrorMap {
  return ({ code, keys }) => {
    const [key] = code === "unrecognized_keys" && Array.isArray(keys) ? keys : [];
    if (typeof key !== "string" || !Object.hasOwn(members, key)) return undefined;
    return `"${key}" goes only with variant: ${variant}`;
  };
}

const managed = z.strictObject(managedMembers, { error: saysVariant("self-hosted", selfHostedMembers) });

const selfHosted = z.strictObject(selfHostedMembers, { error: saysVariant("managed", managedMembers) });

export const stackSchema = z.discriminatedUnion("variant", [managed, selfHosted]);

/** One stack of the configuration file, before `${env:…}` and `${file:…}` are filled in. */
export type ConfiguredStack = z.output<typeof stackSchema>;
