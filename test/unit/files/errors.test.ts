import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileError } from "../../../src/files/errors.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("the message of a failed system call", () => {
  it("names the requested path and no other", async () => {
    const folder = temporaryFolder();
    const error: unknown = await open(join(folder, "none/.a.part"), "wx").catch((thrown: unknown) => thrown);
    expect(fileError("write the archive", "a.zip", error).message).toBe(
      "cannot write the archive a.zip: no such file or directory (ENOENT)",
    );
    const unread: unknown = await readFile(folder).catch((thrown: unknown) => thrown);
    expect(fileError("read", "a.zip", unread).message).toBe(
      "cannot read a.zip: illegal operation on a directory (EISDIR)",
    );
  });

  it.each(["Error: x", "EXDEV: it's elsewhere, rename 'a' -> 'b'", "the stream was closed"])(
    "leaves %j as it is",
    (text) => {
      expect(fileError("read", "a.zip", new Error(text)).message).toBe(`cannot read a.zip: ${text}`);
    },
  );
});
