import { describe, expect, it } from "vitest";
import { commands } from "../../../src/cli/program/commands.ts";
import { loadedBy } from "../../support/loaded-by.ts";

const loadedWith = (name: string): string[] => [...loadedBy(new URL(`../../../src/cli/${name}`, import.meta.url))];
const packages = (loaded: readonly string[]): string[] => loaded.filter((name) => !/^(?:file|node):/.test(name));

describe("the start of the program", () => {
  it.each<[string, string, readonly string[]]>([
    ["for --version", "main.ts", []],
    ["for --help and the help of a command", "program/help.ts", []],
    ["to parse a command line", "program/parse.ts", ["fastest-levenshtein", "yargs"]],
  ])("loads only the packages that it needs %s", (_, file, needed) => {
    expect(packages(loadedWith(file)).toSorted()).toEqual(needed);
  });

  it.each(commands)("loads no package with the file of $name that only some of its runs need", ({ name }) => {
    const heavy = /aws|secretlint|^yaml$|age-encryption|^hono|archiver|opentelemetry|clack/;
    const needed = name === "init" ? ["yaml"] : name === "sandbox" || name === "demo" ? ["hono/quick"] : [];
    expect(packages(loadedWith(`commands/${name}.ts`)).filter((each) => heavy.test(each))).toEqual(needed);
  });

  it.each(["list", "prune"])("loads no redaction rules with the file of %s", (name) => {
    expect(loadedWith(`commands/${name}.ts`).filter((file) => file.includes("/redaction/rules/"))).toEqual([]);
  });
});
