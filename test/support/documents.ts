import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The README and every page of docs/, by its path. */
export function documentPaths(): string[] {
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  return ["README.md", ...pages.map((name) => `docs/${name}`)];
}

export function documentText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The fenced blocks of a page, in order. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, language = "", block = ""]) => ({
    language,
    text: block,
  }));
}

/** A line of a shell block, with the exit code that its comment names. */
export interface ShownCommand {
  readonly line: string;
  readonly exitCode: number;
}

/** The lines of a shell block; one that ends with a backslash goes on. */
export function commandsOf({ text }: Block): ShownCommand[] {
  const lines = text.replaceAll(/ *\\\n */g, " ").split("\n");
  return lines
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => ({
      line: line.replace(/ +# .*$/, ""),
      exitCode: Number(/ # exit (\d+)/.exec(line)?.[1] ?? 0),
    }));
}
