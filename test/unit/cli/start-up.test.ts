import { describe, expect, it } from "vitest";
import { commands } from "../../../src/cli/program/commands.ts";
import { loadedBy } from "../../support/loaded-by.ts";

const loadedWith = (name: string): string[] => [...loadedBy(new URL(`../../../src/cli/${name}`, import.meta.url))];
const packages = (loaded: readonly string[]): string[] => loaded.filter((name) => !/^(?:file|node):/.test(name));

describe("the start of the program", () => {
  it.each<[string, string, readonly string[]]>([
    ["for --version", "main.ts", []],
    ["for --help and the help of a command", "program/run.ts", ["string-width"]],
    ["to parse a command line", "program/parse.ts", ["fastest-levenshtein", "string-width", "yargs"]],
    ["for shell completion", "program/completion.ts", ["string-width"]],
  ])("loads only the packages that it needs %s", (_, file, needed) => {
    expect(packages(loadedWith(file)).toSorted()).toEqual(needed);
  });

  it.each(commands)("loads nothing heavy with the file of $name, whose run imports what it needs", ({ name }) => {
    const loaded = loadedWith(`commands/${name}.ts`);
    expect(packages(loaded).filter((each) => each !== "string-width")).toEqual([]);
    expect(loaded.length).toBeLessThan(60);
  });

  it.each(["archive-file.ts", "stack.ts", "backup.ts"])("loads no heavy package with wiring/%s", (file) => {
    const heavy = /aws|secretlint|^yaml$|age-encryption|hono|unzipper|archiver|opentelemetry/;
    expect(packages(loadedWith(`wiring/${file}`)).filter((each) => heavy.test(each))).toEqual([]);
  });

  it("loads no redaction rules for a list of backups", () => {
    expect(loadedWith("output/list.ts").filter((name) => name.includes("/redaction/rules/"))).toEqual([]);
  });
});
