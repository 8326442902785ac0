import { resolve } from "node:path";
import { detectInput } from "../../library/steps/open-files.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import type { Session } from "../program/session.ts";
import { backupReferenceOf } from "./backup-reference.ts";

/** Tells whether an argument names an archive (or a backup) or code files; undefined if nothing is there. */
export async function detectNamedInput(argument: string, session: Session): Promise<"archive" | "files" | undefined> {
  if (isS3Address(argument) || (await backupReferenceOf(argument, session)) !== undefined) return "archive";
  return detectInput(resolve(session.io.cwd, argument));
}
