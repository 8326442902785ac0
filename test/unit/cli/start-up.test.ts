import { describe, expect, it } from "vitest";
import { commandOutlines } from "../../../src/cli/program/parse/outlines.ts";
import { loadedBy } from "../../support/loaded-by.ts";

const loadedWith = (name: string): string[] => [...loadedBy(new URL(`../../../src/cli/${name}`, import.meta.url))];
const packages = (loaded: readonly string[]): string[] => loaded.filter((name) => !/^(?:file|node):/.test(name));
const ours = (loaded: readonly string[]): string[] => loaded.filter((name) => name.startsWith("file:"));

const names = commandOutlines.map(({ name }) => name);

describe("the start of the program", () => {
  it("loads no package and at most three files for --version", () => {
    const loaded = loadedWith("main.ts");
    expect(packages(loaded)).toEqual([]);
    expect(ours(loaded).length).toBeLessThanOrEqual(3);
  });

  it("loads no package and no command for --help and for the help of a command", () => {
    const loaded = loadedWith("program/run.ts");
    expect(packages(loaded)).toEqual([]);
    expect(loaded.some((name) => name.includes("/cli/commands/"))).toBe(false);
    expect(ours(loaded).length).toBeLessThanOrEqual(20);
  });

  it("loads only yargs, and no command, to parse a command line", () => {
    const loaded = loadedWith("program/parse/parse.ts");
    expect(packages(loaded)).toEqual(["yargs"]);
    expect(loaded.some((name) => name.includes("/cli/commands/"))).toBe(false);
  });

  it("loads no package and no command for shell completion", () => {
    const loaded = loadedWith("program/parse/completion.ts");
    expect(packages(loaded)).toEqual([]);
    expect(loaded.some((name) => name.includes("/cli/commands/"))).toBe(false);
  });

  // `demo` needs heavy packages, because it starts a sandbox; `completion` only prints a text.
  it.each(names.filter((name) => !["demo", "completion"].includes(name)))(
    "loads no heavy package with the command %s before it is needed",
    (name) => {
      const heavy = /aws|secretlint|^yaml$|age-encryption|hono|unzipper|archiver|opentelemetry/;
      const loaded = loadedWith(`commands/${name}.ts`);
      expect(loaded.length).toBeGreaterThan(20);
      expect(packages(loaded).filter((each) => heavy.test(each))).toEqual([]);
    },
  );

  it.each(["verify", "import", "export"])(
    "loads zod with the command %s, and no package for files that are not given",
    (name) => {
      const loaded = packages(loadedWith(`commands/${name}.ts`));
      expect(loaded).toContain("zod");
      expect(loaded.filter((each) => /yaml|age-encryption|secretlint|aws|opentelemetry|hono/.test(each))).toEqual([]);
    },
  );

  it("loads no redaction rules for the command list", () => {
    expect(ours(loadedWith("commands/list.ts")).filter((name) => name.includes("/redaction/rules/"))).toEqual([]);
  });
});
