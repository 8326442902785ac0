import { z } from "zod";

export const stackIdentitySchema = z.strictObject({
  variant: z.enum(["managed", "self-hosted"]),
  baseUrl: z.string(),
  organizationId: z.string().exactOptional(),
  serviceId: z.string().exactOptional(),
  team: z.string().exactOptional(),
});

/** YAML editors support draft 7 best. */
export function editorSchema(schema: z.ZodType, title: string, description: string): Readonly<Record<string, unknown>> {
  const { $schema, ...members } = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
  return { $schema, title, description, ...members };
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "members",
  record: "members",
  null: "nothing",
};

export function issueText({ message }: Pick<z.core.$ZodIssue, "message">): string {
  const [, expected, received] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  if (expected === undefined || received === undefined)
    return message === "Invalid input"
      ? "it has another form than it may have"
      : message.replace(/^Invalid input: /, "");
  const typeText = (name: string): string => TYPES[name] ?? name;
  return received === "undefined" ? "it is missing" : `it must be ${typeText(expected)}, and is ${typeText(received)}`;
}
