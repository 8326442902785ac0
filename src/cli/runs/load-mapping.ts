import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { formatMapDraft } from "../../config/format-map-draft.ts";
import { writePrivateFile } from "../../config/write-private-file.ts";
import type { ManualMapping, Plan } from "../../domain/plan.ts";
import type { Session } from "../session.ts";

/** The map file of a run, none meaning an empty one. */
export async function loadMapping(file: string | undefined, session: Session): Promise<ManualMapping> {
  return file === undefined ? {} : read(resolve(session.io.cwd, file));
}

/** Drafts a map file. Lines filled in, in `mapping` or in a file that is there already, are kept: they are somebody's work. */
export async function writeMapDraft(file: string, plan: Plan, mapping: ManualMapping, session: Session): Promise<void> {
  const path = resolve(session.io.cwd, file);
  const present = (await exists(path)) ? await read(path) : {};
  const spaces = new Set([...Object.keys(present), ...Object.keys(mapping)]);
  const merged = Object.fromEntries([...spaces].map((space) => [space, { ...present[space], ...mapping[space] }]));
  await writePrivateFile(path, formatMapDraft(plan.unresolved, merged));
  const open = plan.unresolved.length;
  if (!session.globals.quiet) session.say(`wrote ${path}: ${open} ${open === 1 ? "line" : "lines"} to fill in\n`);
}

/** What reads YAML is loaded where there is some: it takes longer to load than most commands to run. */
async function read(path: string): Promise<ManualMapping> {
  const { loadMapFile } = await import("../../config/map-file.ts");
  return loadMapFile(path);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
