import { z } from "zod";
import { RULE_NAME } from "../domain/redaction-rules.ts";

const filled = z.string().min(1);
const rule = z.string().regex(RULE_NAME, "a rule's name has small letters, digits and - only");
const expression = filled.refine(isExpression, "not a regular expression, or one that fits the empty text");

const pattern = z.strictObject({
  rule: rule.describe("What the placeholder calls it"),
  pattern: expression.describe("Regular expression of what is taken out"),
});

const exception = z
  .strictObject({
    rule: rule.exactOptional(),
    kind: filled.exactOptional().describe("dashboards, alerts, sources, webhooks or pipes"),
    pointer: z.string().startsWith("/").exactOptional().describe("JSON pointer; * stands for any one part"),
    name: filled.exactOptional().describe("The member's name"),
    pattern: expression.exactOptional().describe("Regular expression that fits the whole of what would be taken out"),
  })
  .refine((members) => Object.keys(members).length > 0, "an exception has to say from what");

/** `redaction:` of the configuration file (docs/redaction.md). */
export const redactionSchema = z.strictObject({
  names: z.array(filled).exactOptional().describe("More member names that say credential"),
  patterns: z.array(pattern).exactOptional().describe("Forms of secrets that only you have"),
  exceptions: z.array(exception).exactOptional().describe("What stays although a rule would take it out"),
});

function isExpression(source: string): boolean {
  try {
    // One that fits nothing at all would put a placeholder between any two letters.
    return !new RegExp(`^(?:${source})$`, "u").test("");
  } catch {
    return false;
  }
}
