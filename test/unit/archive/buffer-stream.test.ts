import { readdir, stat } from "node:fs/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bufferStream } from "../../../src/archive/age.ts";
import { temporaryFolder } from "../../support/archive-samples.ts";

/** More than is kept in memory, so that a file has to be used, however little comes. */
const MUCH = 1024 ** 3;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const before = process.env["TMPDIR"];

beforeEach(async () => {
  folder = await temporaryFolder();
  process.env["TMPDIR"] = folder.path;
});
afterEach(async () => {
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  await folder[Symbol.asyncDispose]();
});

async function* chunks(fail = false): AsyncGenerator<Uint8Array> {
  yield Buffer.from("hello, ");
  expect(await readdir(folder.path)).toEqual([]);
  if (fail) throw new Error("no more");
  yield Buffer.from("world");
}

it.each([100, MUCH])("keeps what came, of at most %i bytes, under no name", async (atMost) => {
  const source = await bufferStream(chunks(), atMost);
  expect(source.size).toBe(12);
  expect((await source.read(7, 5))?.toString()).toBe("world");
  expect(await source.read(7, 6)).toBeUndefined();
  expect(await readdir(folder.path)).toEqual([]);
  await source.close();
  expect(await readdir(folder.path)).toEqual([]);
});

it.each([100, MUCH])("leaves nothing of what failed, of at most %i bytes", async (atMost) => {
  await expect(bufferStream(chunks(true), atMost)).rejects.toThrow("no more");
  expect(await readdir(folder.path)).toEqual([]);
  expect((await stat(folder.path)).isDirectory()).toBe(true);
});
