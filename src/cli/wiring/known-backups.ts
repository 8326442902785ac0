import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { KnownBackups } from "../../backup/dependencies.ts";
import { PRIVATE_FOLDER, writeAtomically } from "../../files/atomic-write.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import type { Session } from "../program/session.ts";
import { stateFolder } from "./journal-access.ts";

const knownSchema = z.looseObject({ repository: z.string(), stack: z.string(), storedAt: z.string() });

/**
 * What this machine knows of a repository, one small file a stack in the folder for state: whoever empties the repository, or
 * does not mount its disk, takes everything away that the repository itself could tell.
 * @param place the address, and the endpoint of an object store
 */
export function knownBackups(place: string, { io: { env } }: Pick<Session, "io">): KnownBackups {
  const folder = stateFolder(env);
  const fileOf = (stack: string): string | undefined => {
    const name = createHash("sha256")
      .update(JSON.stringify([place, stack]))
      .digest("hex")
      .slice(0, 32);
    return folder === undefined ? undefined : join(folder, "backups", `${name}.json`);
  };
  return {
    async storedAt(stack) {
      const path = fileOf(stack);
      if (path === undefined) return undefined;
      try {
        const parsed: unknown = JSON.parse(await readRegularFile(path));
        return knownSchema.safeParse(parsed).data?.storedAt;
      } catch {
        return undefined;
      }
    },
    async note(stack, storedAt) {
      const path = fileOf(stack);
      if (path === undefined) return;
      try {
        await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
        await writeAtomically(path, `${JSON.stringify({ repository: place, stack, storedAt })}\n`);
      } catch {
        // A container often has no folder for state. The marker of the repository is there as well.
      }
    },
  };
}
