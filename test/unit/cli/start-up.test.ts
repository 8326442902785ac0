import { describe, expect, it } from "vitest";
import { commandOutlines } from "../../../src/cli/program/parse/outlines.ts";
import { loadedBy } from "../../support/loaded-by.ts";

const loadedWith = (name: string): string[] => [...loadedBy(new URL(`../../../src/cli/${name}`, import.meta.url))];
const packages = (loaded: readonly string[]): string[] => loaded.filter((name) => !/^(?:file|node):/.test(name));
const ours = (loaded: readonly string[]): string[] => loaded.filter((name) => name.startsWith("file:"));

const names = commandOutlines.map(({ name }) => name);

describe("start-up", () => {
  it("needs no package for --version, and hardly a file", () => {
    const loaded = loadedWith("main.ts");
    expect(packages(loaded)).toEqual([]);
    expect(ours(loaded).length).toBeLessThanOrEqual(3);
  });

  it("needs no package for --help and for the help of a command, and none of the commands", () => {
    const loaded = loadedWith("program/run.ts");
    expect(packages(loaded)).toEqual([]);
    expect(loaded.some((name) => name.includes("/cli/commands/"))).toBe(false);
    expect(ours(loaded).length).toBeLessThanOrEqual(20);
  });

  it("needs yargs alone to read a line, and none of the commands", () => {
    const loaded = loadedWith("program/parse/parse.ts");
    expect(packages(loaded)).toEqual(["yargs"]);
    expect(loaded.some((name) => name.includes("/cli/commands/"))).toBe(false);
  });

  it("needs no package to complete a word, and none of the commands", () => {
    const loaded = loadedWith("program/parse/completion.ts");
    expect(packages(loaded)).toEqual([]);
    expect(loaded.some((name) => name.includes("/cli/commands/"))).toBe(false);
  });

  // `demo` needs heavy packages, because it starts a sandbox; `completion` only prints a text.
  it.each(names.filter((name) => !["demo", "completion"].includes(name)))(
    "leaves heavy packages out of %s until they are needed",
    (name) => {
      const heavy = /aws|secretlint|^yaml$|age-encryption|hono|unzipper|archiver|opentelemetry/;
      const loaded = loadedWith(`commands/${name}.ts`);
      expect(loaded.length).toBeGreaterThan(20);
      expect(packages(loaded).filter((each) => heavy.test(each))).toEqual([]);
    },
  );

  it.each(["verify", "import", "export"])("needs nothing for files that %s is not given", (name) => {
    const loaded = packages(loadedWith(`commands/${name}.ts`));
    expect(loaded).toContain("zod");
    expect(loaded.filter((each) => /yaml|age-encryption|secretlint|aws|opentelemetry|hono/.test(each))).toEqual([]);
  });

  it("needs no rules of redaction to list backups", () => {
    expect(ours(loadedWith("commands/list.ts")).filter((name) => name.includes("/redaction/rules/"))).toEqual([]);
  });
});
