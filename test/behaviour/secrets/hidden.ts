import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { CliRun } from "../../support/run-cli.ts";

/** Expects that neither the output of a run nor a file in its folder, but the archive `a.zip`, holds the secret. */
export async function expectHidden(secret: string, { cwd, stdout, stderr }: CliRun): Promise<void> {
  expect(secret.length).toBeGreaterThan(8);
  const entries = await readdir(cwd, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== "a.zip");
  const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")));
  for (const text of [...texts, stdout, stderr]) expect(text).not.toContain(secret);
}
