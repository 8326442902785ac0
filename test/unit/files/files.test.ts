import { writeFileSync } from "node:fs";
import { lstat, open, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  makePrivateFolder,
  refuseOtherFile,
  siblingPath,
  writeAtomically,
  writeNewFile,
} from "../../../src/files/atomic-write.ts";
import { fileError } from "../../../src/files/errors.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder, "a.json");
});

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("half");
  throw new Error("no more");
}

it("an atomic write replaces a file or a link, private and without a trace of the temporary file", async () => {
  const other = join(folder, "other");
  await writeFile(other, "theirs");
  await symlink(other, path);
  await writeAtomically(path, "ours");
  expect((await lstat(path)).isFile()).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, "utf8")).toBe("ours");
  expect(await readFile(other, "utf8")).toBe("theirs");
  expect((await readdir(folder)).toSorted()).toEqual(["a.json", "other"]);
});

it("an atomic write keeps the old file if the content ends early, the check fails or the signal is aborted", async () => {
  await writeFile(path, "old");
  const check = (): Promise<void> => Promise.reject(new Error("differs"));
  await expect(writeAtomically(path, failing())).rejects.toThrow("no more");
  await expect(writeAtomically(path, "new", { check })).rejects.toThrow("differs");
  await expect(writeAtomically(path, "new", { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(await readFile(path, "utf8")).toBe("old");
  expect(await readdir(folder)).toEqual(["a.json"]);
});

it("an atomic write makes a new file whole or not at all, and leaves an existing one alone", async () => {
  await expect(writeNewFile(path, failing())).rejects.toThrow("no more");
  expect(await readdir(folder)).toEqual([]);
  await writeFile(path, "theirs");
  await expect(writeNewFile(path, "ours")).rejects.toMatchObject({ code: "EEXIST" });
  expect(await readFile(path, "utf8")).toBe("theirs");
});

it("a temporary file has a new hidden name beside the file each time", () => {
  expect(siblingPath(path, "part")).not.toBe(siblingPath(path, "part"));
  expect(siblingPath(path, "part").slice(folder.length)).toMatch(/^.\.a\.json\.[0-9a-f]{16}\.part$/);
});

it("the program makes a private folder once, although several runs make it at the same time", async () => {
  for (let time = 0; time < 100; time += 1) {
    const deep = join(folder, String(time), "b", "c");
    await Promise.all(Array.from({ length: 6 }, () => makePrivateFolder(deep)));
    expect((await stat(deep)).mode & 0o777).toBe(0o700);
  }
});

it("the program makes no folder named ~, which stands for the home folder in a shell only", async () => {
  const folder = temporaryFolder();
  await expect(makePrivateFolder(join(folder, "~", "journals"))).rejects.toMatchObject({ code: "usage" });
  expect(await readdir(folder)).toEqual([]);
});

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
