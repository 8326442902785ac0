import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** Returns the paths of the README and of every page of docs/. */
export function documentPaths(): string[] {
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  return ["README.md", ...pages.map((name) => `docs/${name}`)];
}

export function documentText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Returns the fenced blocks of a page, in their order, without the indent of a list. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map(([, indent = "", language = "", block = ""]) => ({
    language,
    text: block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/** A command of a shell block, and the exit code that its comment names. */
export interface ShownCommand {
  readonly line: string;
  readonly exitCode: number;
}

/** Returns the commands of a shell block. A backslash continues a line. */
export function commandsOf({ text }: Block): ShownCommand[] {
  const lines = text.replaceAll(/ *\\\n */g, " ").split("\n");
  return lines
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => ({
      line: line.replace(/ +# .*$/, ""),
      exitCode: Number(/ # exit (\d+)/.exec(line)?.[1] ?? 0),
    }));
}
