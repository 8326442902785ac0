import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refuseOtherFile } from "../../../src/files/atomic-write.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("an output file of a run", () => {
  const folder = temporaryFolder();
  const refuse = (name: string): Promise<void> => refuseOtherFile(join(folder, name), /^<!doctype/i, "a report");

  it("may replace no file, an empty file, or a file of its own format", async () => {
    writeFileSync(join(folder, "empty"), "");
    writeFileSync(join(folder, "page"), "<!doctype html>\n");
    for (const name of ["none", "empty", "page"]) await expect(refuse(name)).resolves.toBeUndefined();
  });

  it("never replaces a file of another format", async () => {
    writeFileSync(join(folder, "a.zip"), "PK\u0003\u0004");
    await expect(refuse("a.zip")).rejects.toThrow(/exists and is not a report/);
  });
});
