import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { documentText } from "../../support/documents.ts";

const page = documentText("docs/library.md");

test("docs/library.md lists every option of startSandbox", () => {
  const source = readFileSync(new URL("../../../src/sandbox/options.ts", import.meta.url), "utf8");
  const [, members = ""] = /\nexport interface SandboxOptions \{\n([^]*?)\n\}\n/.exec(source) ?? [];
  const options = [...members.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, option = ""]) => option);
  expect(options).toContain("intercept");
  expect(options.filter((option) => !page.includes(`\`${option}\``))).toEqual([]);
});
