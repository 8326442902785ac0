import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import { StackferryError } from "../core/errors.ts";
import { fileError } from "../files/errors.ts";
import { otherFileError, refuseOtherFile } from "../files/atomic-write.ts";
import { openRegularFile } from "../files/regular-file.ts";
import { entryTypeAt } from "./folder.ts";
import { openArchive } from "./reader.ts";
import { signaturePath } from "./signature.ts";
import { AGE_FIRST_LINE, type Manifest } from "../core/manifest.ts";
import { isSameStack, type StackIdentity } from "../core/records/record.ts";

/** Fails early: otherwise, a long run would fail at its end. @throws StackferryError `archive-io` */
export async function requireWritableFolder(path: string): Promise<void> {
  // With `/.`, the check fails if the parent is a file.
  await access(`${dirname(path)}/.`, constants.W_OK).catch((error: unknown) => {
    throw fileError("write", path, error);
  });
}

/**
 * Does not open an encrypted archive, because an export has no keys.
 * @returns the `createdAt` of the archive to replace; undefined without a readable archive
 * @throws StackferryError `usage`
 */
export async function refuseOtherTarget(
  path: string,
  stack: StackIdentity,
  isSigned: boolean,
): Promise<string | undefined> {
  if (isSigned) await refuseOtherFile(signaturePath(path), /^\s*\{\s*"algorithm":/, "a signature");
  const type = await entryTypeAt(path);
  const isEncrypted = type === "file" && path.endsWith(".age") && (await beginsLikeAge(path));
  if (type === "nothing" || isEncrypted) return undefined;
  const { source, createdAt } = (await manifestAt(path)) ?? {};
  // A folder passes here, because `createArchiveWriter` checks folders.
  if (source === undefined && type === "file") throw otherFileError(path, "an archive");
  if (source === undefined || isSameStack(source, stack)) return createdAt;
  throw new StackferryError("usage", `${path} is an archive of another stack, ${stackText(source)}`, {
    hint: "Name another file, or remove this one first.",
  });
}

function stackText({ baseUrl, serviceId, team }: StackIdentity): string {
  if (team !== undefined) return `${baseUrl}, team ${team}`;
  return serviceId === undefined ? baseUrl : `${baseUrl}, service ${serviceId}`;
}

async function manifestAt(path: string): Promise<Manifest | undefined> {
  try {
    await using reader = await openArchive(path);
    return reader.manifest;
  } catch (error) {
    if (error instanceof StackferryError) return undefined;
    throw error;
  }
}

async function beginsLikeAge(path: string): Promise<boolean> {
  await using file = await openRegularFile(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(AGE_FIRST_LINE.length), 0, AGE_FIRST_LINE.length, 0);
  return buffer.toString("latin1", 0, bytesRead) === AGE_FIRST_LINE;
}
