import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

it("does the whole job from the package's own surface, as the sample shows", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["samples/library.mjs"], { cwd: root });
  expect(stdout).toMatch(/^[0-9a-f]{12}: 21 records created on the managed stack\n$/);
  expect(stderr).toBe("");
});
