import { StackferryError } from "../../core/errors.ts";
import type { Repository } from "../../core/ports.ts";
import type { Session } from "../program/session.ts";
import { STORED } from "./backup-reference.ts";
import { splitRepository } from "./repository.ts";

/**
 * Refuses `REPO/STACK` as a repository, because it would be read as a repository without backups.
 * @throws StackferryError `usage`
 */
export async function refuseStackFolder(
  reference: string,
  opened: Repository,
  command: string,
  { signal }: Pick<Session, "signal">,
): Promise<void> {
  if (!(await opened.list("", signal)).some(({ name }) => STORED.test(name))) return;
  const { repository, name } = splitRepository(reference);
  throw new StackferryError(
    "usage",
    `${reference} is the folder of one stack, not a repository; give the folder that holds it`,
    {
      hint: `use: stackferry ${command} ${repository} --stack ${name}`,
    },
  );
}
