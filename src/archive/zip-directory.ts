import { damagedArchive } from "./archive-errors.ts";
import type { ArchiveLimits } from "./limits.ts";
import { RATIO_FREE_BYTES } from "./limits.ts";
import { printable } from "./printable.ts";
import type { DirectoryRecord } from "./read-zip-directory.ts";
import { STORED } from "./unpack-file.ts";
import type { ZipEnd } from "./zip-end.ts";

const LOCAL_BYTES = 30;
const DEFLATED = 8;
/** Encryption of any kind: the entry, its strong form, or the directory itself. */
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;
const FILE_TYPE = 0xf000;
const REGULAR_FILE = 0x8000;
const FOLDER = 0x4000;
/** From the root, from a drive, or by a part that is `.` or `..`. */
const LEAVES = /^\/|^[a-z]:|(?:^|\/)\.\.?(?:\/|$)/i;

/**
 * Checks every record of the central directory, then all of them together. Answers them as they follow each other in the file.
 * @throws StackferryError `archive-damaged`, the entry named
 */
export function checkedDirectory(
  files: readonly DirectoryRecord[],
  end: ZipEnd,
  limits: ArchiveLimits,
): readonly DirectoryRecord[] {
  for (const file of files) {
    const problem = recordProblem(file) ?? nameProblem(file, limits) ?? sizeProblem(file, limits);
    if (problem !== undefined) throw damagedArchive(`entry ${printable(file.path)} ${problem}`);
  }
  const total = files.reduce((sum, file) => sum + file.uncompressedSize, 0);
  if (total > limits.maxTotalBytes + limits.maxManifestBytes) {
    throw damagedArchive(`the zip unpacks to more than ${String(limits.maxTotalBytes)} bytes`);
  }
  checkNames(files);
  const inOrder = files.toSorted((left, right) => left.offset - right.offset);
  checkPlaces(inOrder, end);
  return inOrder;
}

/** True for an entry that stands for a folder; `zip -r` writes them, and they hold nothing. */
export function isFolderPath(path: string): boolean {
  return path.endsWith("/");
}

function recordProblem(file: DirectoryRecord): string | undefined {
  if ((file.flags & ENCRYPTED) !== 0) return "is encrypted";
  if (file.method !== STORED && file.method !== DEFLATED) return "uses an unknown compression";
  const type = (file.externalAttributes >>> 16) & FILE_TYPE;
  if (type === 0 || type === (isFolderPath(file.path) ? FOLDER : REGULAR_FILE)) return undefined;
  return "is a link or a device, or not what its name says";
}

function nameProblem(file: DirectoryRecord, limits: ArchiveLimits): string | undefined {
  const { path } = file;
  if (path === "" || file.nameBytes > limits.maxNameLength) return "has no name, or one that is too long";
  if (!file.isUtf8) return "has a name that is not UTF-8";
  if (path.includes("\\") || LEAVES.test(path)) return "has a name that leaves the archive";
  return /\p{C}/u.test(path) ? "has a name with control characters" : undefined;
}

function sizeProblem(file: DirectoryRecord, limits: ArchiveLimits): string | undefined {
  const { compressedSize, uncompressedSize } = file;
  if (isFolderPath(file.path)) return uncompressedSize === 0 ? undefined : "is a folder with content";
  const most = Math.max(limits.maxEntryBytes, limits.maxManifestBytes);
  if (uncompressedSize > most) return `is over ${String(most)} bytes`;
  // Nothing in an archive is empty, and an empty entry's true size is told by nothing.
  if (compressedSize === 0) return "is empty";
  if (file.method === STORED && compressedSize !== uncompressedSize) return "has two different sizes";
  const suspicious = uncompressedSize > RATIO_FREE_BYTES && uncompressedSize / compressedSize > limits.maxRatio;
  return suspicious ? `unpacks to more than ${String(limits.maxRatio)} times its size` : undefined;
}

function checkNames(files: readonly DirectoryRecord[]): void {
  const seen = new Set<string>();
  for (const { path } of files) {
    const folded = path.normalize("NFC").toLowerCase();
    if (seen.has(folded)) throw damagedArchive(`entry ${printable(path)} is there twice, but for case or Unicode form`);
    seen.add(folded);
  }
}

/** Entries that share bytes make small files unpack to endless ones, and let two tools read two different archives. */
function checkPlaces(inOrder: readonly DirectoryRecord[], end: ZipEnd): void {
  let free = 0;
  for (const file of inOrder) {
    if (file.offset < free) throw damagedArchive(`entry ${printable(file.path)} overlaps another`);
    free = file.offset + LOCAL_BYTES + file.nameBytes + file.compressedSize;
  }
  if (free > end.directoryStart) throw damagedArchive("the last entry of the zip reaches into its central directory");
  if ((inOrder[0]?.offset ?? 0) !== 0) throw damagedArchive("the zip has something before its first entry");
}
