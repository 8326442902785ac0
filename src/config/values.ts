import { open, readFile } from "node:fs/promises";
import { platform } from "node:os";
import { dirname, resolve } from "node:path";
import { StackferryError } from "../core/errors.ts";
import type { Warning } from "../core/outcome.ts";

/** Where `${env:NAME}` and `${file:PATH}` are looked up. */
export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The configuration file: paths in it are relative to its folder. */
  readonly configPath: string;
}

const SLOT = /\$\{(env|file):([^}]+)\}/g;

/** True where the text holds a `${env:…}` or `${file:…}`. */
export function holdsSlot(text: string): boolean {
  return /\$\{(env|file):[^}]+\}/.test(text);
}

/** True where the text holds nothing but one `${env:…}` or `${file:…}`. */
export function isSlot(text: string): boolean {
  return /^\$\{(env|file):[^}]+\}$/.test(text);
}

/**
 * Fills in every `${env:NAME}` and `${file:PATH}` of a text. What is filled in is not searched again.
 * @param where the member, for messages (`stacks.production.keyId`).
 * @throws StackferryError `config` that names the variable or file that is missing.
 */
export async function expandValue(text: string, where: string, sources: ValueSources): Promise<string> {
  let expanded = "";
  let from = 0;
  for (const match of text.matchAll(SLOT)) {
    const [slot, source = "", name = ""] = match;
    const value = source === "env" ? fromEnvironment(name, where, sources) : await fromFile(name, where, sources);
    expanded += text.slice(from, match.index) + value;
    from = match.index + slot.length;
  }
  return expanded + text.slice(from);
}

function fromEnvironment(name: string, where: string, sources: ValueSources): string {
  const value = sources.env[name];
  if (value !== undefined && value !== "") return value;
  throw new StackferryError("config", `${sources.configPath}: ${where} needs the environment variable ${name}`, {
    hint: `set ${name} and run the command again`,
  });
}

async function fromFile(name: string, where: string, sources: ValueSources): Promise<string> {
  const path = resolve(dirname(sources.configPath), name);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new StackferryError(
      "config",
      `${sources.configPath}: ${where} needs the file ${path}, which cannot be read`,
      {
        cause,
        hint: "create the file, or correct the path (it is relative to the configuration file)",
      },
    );
  }
  // Editors end a file with a newline, and no credential ends with one.
  const value = text.replace(/\r?\n$/, "");
  if (value !== "") return value;
  throw new StackferryError("config", `${sources.configPath}: ${where} needs the file ${path}, which is empty`);
}

/** A small text file that holds a secret, and the warnings about it. */
export interface SecretFile {
  readonly text: string;
  readonly warnings: readonly Warning[];
}

/** Keys and passphrases are far smaller; what is larger is some other file, named by mistake. */
const MOST_BYTES = 64 * 1024;
const READABLE_BY_OTHERS = 0o044;

/**
 * Reads a file that holds a secret, and warns where others can read it too.
 * @param what for messages: "identity file".
 * @throws StackferryError `config`, which names the file and never what is in it.
 */
export async function readSecretFile(path: string, what: string): Promise<SecretFile> {
  try {
    await using file = await open(path, "r");
    const { mode, size } = await file.stat();
    if (size > MOST_BYTES) throw unusable(`the ${what} ${path} is too large to be one`);
    return { text: await file.readFile("utf8"), warnings: exposure(mode, path, what) };
  } catch (error) {
    if (error instanceof StackferryError) throw error;
    throw unusable(`the ${what} ${path} cannot be read`, error);
  }
}

/** A warning where a file's mode lets others read it. Windows has no such modes. */
export function exposure(mode: number, path: string, what: string): Warning[] {
  if (platform() === "win32" || (mode & READABLE_BY_OTHERS) === 0) return [];
  return [{ code: "readable-by-others", message: `the ${what} ${path} can be read by others: chmod 600 it` }];
}

function unusable(problem: string, cause?: unknown): StackferryError {
  return new StackferryError("config", problem, { cause, hint: "check the path" });
}
