import type { SandboxSeed } from "../../sandbox/start-sandbox.ts";
import type { JsonObject } from "../../domain/json.ts";
import { openArchiveFile } from "../open-archive-file.ts";
import type { Session } from "../session.ts";

/** What a sandbox begins with: one of its own seeds, or the records of an archive. */
export async function sandboxSeed(seed: string, session: Session): Promise<"none" | "bare" | "sample" | SandboxSeed> {
  if (seed === "none" || seed === "bare" || seed === "sample") return seed;
  await using reader = await openArchiveFile(seed, session);
  const bodies = new Map<string, JsonObject[]>();
  for await (const { kind, body } of reader.records()) bodies.set(kind, [...(bodies.get(kind) ?? []), body]);
  return Object.fromEntries(bodies);
}
