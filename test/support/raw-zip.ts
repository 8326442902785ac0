import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a hand-made zip. Any of its fields can be false. */
export interface RawEntry {
  readonly name: string | Buffer;
  readonly content: string | Buffer;
  /** The compression: 0 stored, 8 deflated (the default). With any other number, the content is stored under that number. */
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly compressedSize?: number;
  readonly size?: number;
  readonly externalAttributes?: number;
  readonly extra?: Buffer;
  /** The comment of the entry in the directory. */
  readonly entryComment?: string;
  /** Fields of the local header, if they differ from the directory. */
  readonly localName?: string;
  readonly localMethod?: number;
  readonly localFlags?: number;
  readonly localCrc?: number;
  readonly localSize?: number;
  /** The offset of the entry that the directory states. */
  readonly offset?: number;
  /** Bytes that are appended to the entry's data and count in its compressed size. */
  readonly trailing?: Buffer;
}

/** Fields of the zip's end record, if they are false. */
export interface RawEnd {
  readonly prefix?: Buffer;
  readonly disk?: number;
  readonly count?: number;
  readonly directorySize?: number;
  readonly directoryStart?: number;
  readonly comment?: string;
  readonly beforeEnd?: Buffer;
}

interface Built {
  readonly local: Buffer;
  readonly directory: (offset: number) => Buffer;
}

/** Returns the bytes of a zip with these entries. */
export function rawZip(entries: readonly RawEntry[], end: RawEnd = {}): Buffer {
  const locals: Buffer[] = [end.prefix ?? Buffer.alloc(0)];
  const records: Buffer[] = [];
  let position = locals[0]?.length ?? 0;
  for (const entry of entries) {
    const { local, directory } = build(entry);
    records.push(directory(entry.offset ?? position));
    locals.push(local);
    position += local.length;
  }
  const directory = Buffer.concat(records);
  const comment = Buffer.from(end.comment ?? "");
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(end.disk ?? 0, 4);
  last.writeUInt16LE(end.count ?? entries.length, 8);
  last.writeUInt16LE(end.count ?? entries.length, 10);
  last.writeUInt32LE(end.directorySize ?? directory.length, 12);
  last.writeUInt32LE(end.directoryStart ?? position, 16);
  last.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, directory, end.beforeEnd ?? Buffer.alloc(0), last, comment]);
}

function build(entry: RawEntry): Built {
  const content = Buffer.from(entry.content);
  const method = entry.method ?? 8;
  const packed = Buffer.concat([method === 8 ? deflateRawSync(content) : content, entry.trailing ?? Buffer.alloc(0)]);
  const name = Buffer.from(entry.name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(entry.flags ?? 0, 2);
  common.writeUInt16LE(method, 4);
  common.writeUInt16LE(33, 8);
  common.writeUInt32LE(entry.crc ?? crc32(content), 10);
  common.writeUInt32LE(entry.compressedSize ?? packed.length, 14);
  common.writeUInt32LE(entry.size ?? content.length, 18);
  common.writeUInt16LE(name.length, 22);
  return {
    local: localHeader(entry, common, name, packed),
    directory: (offset) => directoryRecord(entry, common, name, offset),
  };
}

function localHeader(entry: RawEntry, common: Buffer, name: Buffer, packed: Buffer): Buffer {
  const head = Buffer.from(common);
  const localName = entry.localName === undefined ? name : Buffer.from(entry.localName);
  head.writeUInt16LE(localName.length, 22);
  if (entry.localMethod !== undefined) head.writeUInt16LE(entry.localMethod, 4);
  if (entry.localFlags !== undefined) head.writeUInt16LE(entry.localFlags, 2);
  if (entry.localCrc !== undefined) head.writeUInt32LE(entry.localCrc, 10);
  if (entry.localSize !== undefined) head.writeUInt32LE(entry.localSize, 18);
  return Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), head, localName, packed]);
}

function directoryRecord(entry: RawEntry, common: Buffer, name: Buffer, offset: number): Buffer {
  const extra = entry.extra ?? Buffer.alloc(0);
  const comment = Buffer.from(entry.entryComment ?? "");
  const tail = Buffer.alloc(14);
  tail.writeUInt16LE(comment.length, 0);
  tail.writeUInt32LE((entry.externalAttributes ?? 0o100600 * 0x10000) >>> 0, 6);
  tail.writeUInt32LE(offset, 10);
  const head = Buffer.from(common);
  head.writeUInt16LE(extra.length, 24);
  const start = Buffer.from("PK\u0001\u0002\u002d\u0003", "latin1");
  return Buffer.concat([start, head, tail, name, extra, comment]);
}
