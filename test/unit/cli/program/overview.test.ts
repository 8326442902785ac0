import { describe, expect, it } from "vitest";
import { overviewText } from "../../../../src/cli/program/help.ts";
import { commands } from "../../../../src/cli/program/commands.ts";
import { globalFlags } from "../../../../src/cli/program/flags.ts";
import { runCli } from "../../../support/run-cli.ts";

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

describe("the overview of the help", () => {
  it.each([60, 80, 110])("describes every command and flag in %i columns", (columns) => {
    const text = overviewText(columns, true);
    for (const { describe: says } of [...commands, ...Object.values(globalFlags)])
      expect(inOneLine(text)).toContain(says);
    for (const name of Object.keys(globalFlags)) expect(text).toMatch(new RegExp(`^  --${name}(?: <[^>]+>)?  `, "m"));
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(Math.max(columns, 77));
    // Lines are broken by the number of characters.
    expect(text).toMatch(/^[\n -~]+$/);
  });

  it("is printed for --help and help if no command is named", async () => {
    for (const argv of [["--help"], ["--quiet", "--help"], ["nothing-of-ours", "--help"], ["help"], ["help", "import"]])
      expect(await runCli(argv)).toMatchObject({ exitCode: 0, stderr: "", stdout: overviewText(80, false) });
    expect(await runCli(["--help", "--all"])).toMatchObject({ exitCode: 0, stdout: overviewText(80, true) });
    expect(overviewText(80, false).split("\n").length).toBeLessThanOrEqual(45);
    expect((await runCli(["--quiet", "import", "--help"])).stdout).toContain("stackferry import <archive>");
  });
});
