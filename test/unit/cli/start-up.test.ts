import { describe, expect, it } from "vitest";
import { commandOutlines } from "../../../src/cli/program/parse/outlines.ts";
import { loadedBy } from "../../support/loaded-by.ts";

const loadedWith = (name: string): string[] => [...loadedBy(new URL(`../../../src/cli/${name}`, import.meta.url))];
const packages = (loaded: readonly string[]): string[] => loaded.filter((name) => !/^(?:file|node):/.test(name));

describe("the start of the program", () => {
  it.each<[string, string, readonly string[]]>([
    ["for --version", "main.ts", []],
    ["for --help and for the help of a command", "program/run.ts", []],
    ["to parse a command line", "program/parse/parse.ts", ["yargs"]],
    ["for shell completion", "program/parse/completion.ts", []],
  ])("loads no command, and only the packages that it needs, %s", (_, file, needed) => {
    const loaded = loadedWith(file);
    expect(packages(loaded)).toEqual(needed);
    expect(loaded.filter((name) => name.includes("/cli/commands/"))).toEqual([]);
  });

  // `demo` needs heavy packages, because it starts a sandbox; `completion` only prints a text.
  const names = commandOutlines.map(({ name }) => name).filter((name) => !["demo", "completion"].includes(name));

  it.each(names)("loads no heavy package with the command %s before it is needed", (name) => {
    const loaded = packages(loadedWith(`commands/${name}.ts`));
    const heavy = /aws|secretlint|^yaml$|age-encryption|hono|unzipper|archiver|opentelemetry/;
    expect(loaded.filter((each) => heavy.test(each))).toEqual([]);
    if (["verify", "import", "export"].includes(name)) expect(loaded).toContain("zod");
  });

  it("loads no redaction rules for the command list", () => {
    expect(loadedWith("commands/list.ts").filter((name) => name.includes("/redaction/rules/"))).toEqual([]);
  });
});
