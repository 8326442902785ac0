import { crc32, deflateRawSync } from "node:zlib";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { unpackBySize } from "../../../../src/archive/unpack-file.ts";
import type { KeptFile, Unpack, UnpackedFile } from "../../../../src/archive/unpack-file.ts";
import type * as Sources from "../../../../src/cli/threads/unpack-in-thread.ts";

// Threads load the built program, so this is it too.
const built = "../../../../dist/cli/threads/unpack-in-thread.js";
let unpackInThread: typeof Sources.unpackInThread;
beforeAll(async () => {
  ({ unpackInThread } = (await import(built)) as typeof Sources);
});

const [STORED, DEFLATED] = [0, 8];
function kept(number: number, bytes: number, method = DEFLATED): KeptFile {
  const content = Buffer.from(`{"number":${String(number)},"text":"`.padEnd(bytes, `${String(number)} is a number, `));
  const packed = method === STORED ? content : deflateRawSync(content);
  const path = `dashboards/${String(number)}.json`;
  return { bytes: packed, zipped: { path, method, uncompressedSize: content.length, crc32: crc32(content) } };
}
/** So much that a thread is started. */
const first = kept(0, 2_000_001);
const MEMORY_BYTES = 1_000_000;
/** Unpacks something again and again until it comes in the memory of a thread. */
async function started({ unpack }: Sources.ThreadedUnpack): Promise<void> {
  await read(unpack, first, () => undefined);
  const comesFrom = (): Promise<number> => read(unpack, kept(1, 100), ({ bytes }) => bytes.buffer.byteLength);
  await vi.waitUntil(async () => (await comesFrom()) === MEMORY_BYTES, { timeout: 10_000, interval: 10 });
}
/** Small ones, large ones, one larger than the memory of a batch, one that is stored, and one of a folder. */
const files = [
  ...Array.from({ length: 60 }, (_, number) => kept(number, 20_000)),
  ...Array.from({ length: 6 }, (_, number) => kept(number, 300_000)),
  kept(7, 3_000_000),
  kept(8, 90_000, STORED),
  { bytes: Buffer.from("a file of a folder") },
  kept(9, 40),
];
const unpackHere = unpackBySize();
const copied = ({ bytes, sha256 }: UnpackedFile): string => `${sha256} ${Buffer.from(bytes).toString()}`;
const read = async <Read>(unpack: Unpack, file: KeptFile, look: (file: UnpackedFile) => Read): Promise<Read> =>
  (await unpack(file))(look);
const outcome = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe("unpacking in a thread", () => {
  it("comes to the same as without one", async () => {
    await using thread = unpackInThread(2);
    await started(thread);
    const all = [first, ...files];
    const expected = await Promise.all(all.map((file) => read(unpackHere, file, copied)));
    expect(await Promise.all(all.map((file) => read(thread.unpack, file, copied)))).toEqual(expected);
  });

  it("says of each damaged file what is wrong with it, and unpacks those beside it", async () => {
    await using thread = unpackInThread(2);
    await started(thread);
    const [good, other] = [kept(1, 1000), kept(2, 1000)];
    if (good.zipped === undefined) throw new Error("not zipped");
    const wrongCrc: KeptFile = { ...good, zipped: { ...good.zipped, crc32: 1 } };
    const tooSmall: KeptFile = { ...good, zipped: { ...good.zipped, uncompressedSize: 999 } };
    const noDeflate: KeptFile = { ...good, bytes: Buffer.alloc(20, 255) };
    const all = [first, good, wrongCrc, tooSmall, noDeflate, other];
    const expected = await Promise.all(all.map((file) => outcome(read(unpackHere, file, copied))));
    expect(await Promise.all(all.map((file) => outcome(read(thread.unpack, file, copied))))).toEqual(expected);
    expect(expected.map((each) => typeof each)).toEqual(["string", "string", "object", "object", "object", "string"]);
  });

  it("uses the memory of a batch again once its files have been read", async () => {
    await using thread = unpackInThread(2);
    await started(thread);
    const memory = new Set<ArrayBufferLike>();
    for (let round = 0; round < 30; round += 1) {
      const batch = [kept(round, 400_000), kept(round, 400_000)];
      await Promise.all(batch.map((file) => read(thread.unpack, file, () => undefined)));
      await Promise.all(batch.map((file) => read(thread.unpack, file, ({ bytes }) => memory.add(bytes.buffer))));
      expect([...memory].filter((buffer) => buffer.byteLength > 0).length).toBeLessThanOrEqual(3);
    }
  });

  it("passes on what the reader throws", async () => {
    await using thread = unpackInThread(2);
    await started(thread);
    const refuse = (): never => {
      throw new Error("not this one");
    };
    const [, refused, other] = await Promise.all(
      [
        read(thread.unpack, first, copied),
        read(thread.unpack, kept(1, 10), refuse),
        read(thread.unpack, kept(2, 10), copied),
      ].map(outcome),
    );
    expect(refused).toEqual(new Error("not this one"));
    expect(other).toContain('{"number":2');
  });

  it("is done without one where none can be had", async () => {
    const thread = unpackInThread(2);
    await thread[Symbol.asyncDispose]();
    for (const file of [first, kept(2, 100), kept(3, 400_000)])
      expect(await read(thread.unpack, file, copied)).toBe(await read(unpackHere, file, copied));
  });

  it("goes on without one that has ended", async () => {
    const thread = unpackInThread(2);
    await started(thread);
    await thread[Symbol.asyncDispose]();
    const all = [kept(2, 100), kept(3, 400_000)];
    const expected = await Promise.all(all.map((file) => read(unpackHere, file, copied)));
    expect(await Promise.all(all.map((file) => read(thread.unpack, file, copied)))).toEqual(expected);
  });

  it("is not even tried on one core", async () => {
    await using thread = unpackInThread(1);
    const places = new Set<ArrayBufferLike>();
    for (const file of [first, kept(1, 400_000), kept(2, 400_000)])
      await read(thread.unpack, file, ({ bytes }) => places.add(bytes.buffer));
    expect([...places].every(({ byteLength }) => byteLength > 0)).toBe(true);
    expect(places.size).toBe(3);
  });
});
