import { expect, it } from "vitest";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";

// A careless regular expression takes exponential time on these texts, so its test would time out.

const redact = createRedactor();

it.each([
  [
    "tags in a cell, and then a word",
    `<table><tr><td>password</td><td>q${"</b12345678>".repeat(40)}x</td></tr></table>`,
  ],
  ["repeated x as a value", `password: ${"xxxx-".repeat(30)}1,`],
  ["a value that begins with your", `password: your${"ab".repeat(90)}1,`],
  ["punctuation marks at the end of a value", `user: bob\npassword: abcdef${"_?!.".repeat(12)}x`],
  ["quotes in a literal", `SELECT encrypt('a', b, c '("'${" ''".repeat(150)}, 3)`],
  ["slashes before an address with a password", `${"/".repeat(100_000)} https://u:hunter22Pass@example.com`],
])("redaction does not backtrack exponentially on %s", async (_, text) => {
  const { body } = await redact(dashboards, { id: "6b00e15be5757e17d9e50091", markdown: text });
  expect(typeof body["markdown"]).toBe("string");
});
