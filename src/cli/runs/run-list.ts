import { StackferryError } from "../../domain/errors.ts";
import { storedArchives } from "../../jobs/stored-archives.ts";
import { openPlaceFor } from "../open-place.ts";
import { listText } from "../render/list-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";

/** Shows the backups in a place by their names; none of them is opened. */
export async function runList(
  request: { readonly place: string; readonly stacks: readonly string[] },
  session: Session,
): Promise<CommandResult> {
  await using place = await openPlaceFor(request.place, session);
  const all = await storedArchives(place, undefined, session.signal);
  const archives = all.filter(({ stack }) => request.stacks.length === 0 || request.stacks.includes(stack));
  const missing = request.stacks.find((name) => !archives.some(({ stack }) => stack === name));
  if (missing !== undefined) {
    throw new StackferryError("usage", `${place.address} has no backup of ${missing}`, {
      hint: "without --stack, all of them are listed",
    });
  }
  const described = archives.map(({ name, stack, at, bytes, encrypted }) => {
    return { stack, time: new Date(at).toISOString(), bytes, encrypted, name };
  });
  return {
    exitCode: 0,
    text: (view) => listText(archives, place.address, view),
    extra: { place: place.address, archives: described },
  };
}
