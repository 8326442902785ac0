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

/**
 * Checks that a file can be created at the path, so that a long run does not fail only at its end.
 * @throws StackferryError `archive-io`
 */
export async function requireWritableFolder(path: string): Promise<void> {
  // The `.` makes the check fail if a file is in the place of the folder.
  await access(`${dirname(path)}/.`, constants.W_OK).catch((error: unknown) => {
    throw fileError("write", path, error);
  });
}

/**
 * Refuses to replace a file that is not an archive. An encrypted archive is recognised by its name and first line, because an
 * export may lack the key to decrypt the archive.
 * @throws StackferryError `usage`
 */
export async function refuseOtherThanArchive(path: string, isSigned: boolean): Promise<void> {
  if (isSigned) await refuseOtherFile(signaturePath(path), /^\s*\{\s*"algorithm":/, "a signature");
  if ((await entryTypeAt(path)) !== "file" || (await isArchive(path))) return;
  throw otherFileError(path, "an archive");
}

async function isArchive(path: string): Promise<boolean> {
  return path.endsWith(".age") ? await beginsLikeAge(path) : (await manifestAt(path)) !== undefined;
}

/**
 * Refuses to replace an archive of another stack. Returns the time of the archive that will be replaced; undefined if there is
 * none, or if it is encrypted: nobody can tell its stack without the key.
 * @throws StackferryError `usage`
 */
export async function refuseArchiveOfOther(path: string, stack: StackIdentity): Promise<string | undefined> {
  if (path.endsWith(".age") || (await entryTypeAt(path)) === "nothing") return undefined;
  const { source, createdAt } = (await manifestAt(path)) ?? {};
  if (source === undefined || isSameStack(source, stack)) return createdAt;
  throw new StackferryError("usage", `${path} is an archive of another stack, ${stackText(source)}`, {
    hint: "Name another file, or remove this one first.",
  });
}

function stackText({ baseUrl, serviceId }: StackIdentity): string {
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
