import { z } from "zod";
import { ID_PATTERN } from "../../core/records/record.ts";
import { kinds } from "../../kinds/registry.ts";
import { holdsValueReference } from "../expand-values.ts";

/** Limits of tags (docs/api.md#dashboards). */
const TAG_CHARACTERS = 32;
const TAGS = 50;

const text = z.string().refine((value) => !holdsValueReference(value), "${env:…} and ${file:…} are not filled in here");
const filled = text.min(1, "expected a text that is not empty");
const patterns = z.array(filled).describe("* stands for any text, ? for one character");

const renamable = kinds.filter(({ nameFields }) => nameFields.name !== undefined).map(({ name }) => name);

/** Kinds that others can reference. Their records cannot be left out, because references to them would dangle. */
const referredTo = new Set(kinds.flatMap(({ references }) => references.map(({ to }) => to.split("/")[0])));
const omissible = kinds.filter(({ name, importPolicy }) => importPolicy.when === "always" && !referredTo.has(name));

const rename = membersSchema({
  kind: z
    .enum(renamable)
    .exactOptional()
    .describe("The kind of the records; by default every kind whose names may change"),
  from: filled.describe("The whole name; * stands for any text"),
  to: filled.describe("The new name; its first * stands for the text that the first * in from matched, and so on"),
}).refine(({ from, to }) => countStars(to) <= countStars(from), {
  path: ["to"],
  message: 'it has more * than "from": each * in "to" stands for the text of one * in "from"',
});

const replace = membersSchema({
  from: filled
    .refine(isOnlyText, "ids and «redacted:…» cannot be replaced; ids are mapped anyway")
    .describe("The text to look for"),
  to: text
    .refine((value) => !/[«»]/.test(value), "it must not look like a «redacted:…» placeholder")
    .describe("The text in its place"),
});

/** `transforms:` of a stack: the changes to records of other stacks and of files before they are written to this stack. */
export const transformsSchema = membersSchema({
  rename: z.array(rename).exactOptional().describe("New names; the first rule that matches a name applies"),
  tags: membersSchema({
    set: z
      .array(filled.max(TAG_CHARACTERS, `a tag has at most ${TAG_CHARACTERS} characters`))
      .max(TAGS)
      .exactOptional()
      .describe("Tags that every dashboard has"),
    drop: patterns.exactOptional().describe("Tags that are removed; * stands for any text, ? for one character"),
  })
    .exactOptional()
    .describe("Tags of dashboards: tags that match drop are removed, then the tags of set are added"),
  replace: z.array(replace).exactOptional().describe("Literal texts in URLs and Markdown, replaced one after another"),
  leaveOut: membersSchema(Object.fromEntries(omissible.map(({ name }) => [name, patterns.exactOptional()])))
    .exactOptional()
    .describe("Names of the records that are not written"),
});

/** Returns the schema of an object. Its message for an unknown member lists the known members. */
function membersSchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? `there is no member ${String(keys)}; there are ${Object.keys(shape).join(", ")}`
        : undefined,
  });
}

function countStars(pattern: string): number {
  return pattern.split("*").length - 1;
}

function isOnlyText(value: string): boolean {
  return !/[«»]/.test(value) && value.search(ID_PATTERN) < 0;
}
