import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the package", () => {
  it("is made without a line for each of its files", async () => {
    const { stdout, stderr } = await promisify(execFile)("npm", ["pack", "--dry-run", "--ignore-scripts"], {
      cwd: root,
    });
    expect(stdout.trim().split("\n")).toEqual([expect.stringMatching(/^stackferry-.*\.tgz$/)]);
    expect(stderr.split("\n").length).toBeLessThan(5);
  });
});
