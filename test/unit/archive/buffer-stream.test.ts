import { readdir, stat } from "node:fs/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bufferStream } from "../../../src/archive/age.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A maximum size above the memory limit, so that even a short stream uses a temporary file. */
const MUCH = 1024 ** 3;
let folder = "";

beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function* chunks(fail = false): AsyncGenerator<Uint8Array> {
  yield Buffer.from("hello, ");
  expect(await readdir(folder)).toEqual([]);
  if (fail) throw new Error("no more");
  yield Buffer.from("world");
}

it.each([100, MUCH])(
  "a buffer stream keeps the written bytes in memory or a nameless file, with a buffer of at most %i bytes",
  async (atMost) => {
    const source = await bufferStream(chunks(), atMost);
    expect(source.size).toBe(12);
    expect((await source.read(7, 5))?.toString()).toBe("world");
    expect(await source.read(7, 6)).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
    await source.close();
    expect(await readdir(folder)).toEqual([]);
  },
);

it.each([100, MUCH])(
  "a buffer stream leaves no file after a failed write with a buffer of at most %i bytes",
  async (atMost) => {
    await expect(bufferStream(chunks(true), atMost)).rejects.toThrow("no more");
    expect(await readdir(folder)).toEqual([]);
    expect((await stat(folder)).isDirectory()).toBe(true);
  },
);
