import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { programForTwoStacks } from "../support/program.ts";

it("the commands of the screen for programs run without a terminal, and end as it says", async () => {
  const page = await readFile(new URL("../../docs/cli-reference.md", import.meta.url), "utf8");
  const [, commands = ""] = /## For programs[\s\S]*?```text\n([\s\S]*?)```/.exec(page) ?? [];
  await using program = await programForTwoStacks(
    { variant: "self-hosted", seed: "sample" },
    { variant: "self-hosted", seed: "bare" },
  );
  const documents: Record<string, unknown>[] = [];
  for (const line of commands.trim().split("\n")) {
    const words = line
      .replace(/^stackferry /, "")
      .replaceAll(/\bproduction\b/g, "$FROM")
      .replaceAll(/\bstaging\b/g, "$TO")
      .replace("3f9a1c0d22b7e451", String(documents.at(-1)?.["plan"]));
    const { stdout } = await program.run(words);
    documents.push(JSON.parse(stdout) as Record<string, unknown>);
  }
  // The alerts on saved searches stay blocked, because the commands do not create those.
  expect(documents).toMatchObject([
    { command: "doctor" },
    { command: "migrate", exitCode: 3, outcomes: expect.any(Array) as unknown },
    { command: "migrate", exitCode: 3, counts: { create: 21 } },
    { command: "diff", exitCode: 10 },
  ]);
});
