import type { Loaded } from "../config/archive-secrets.ts";
import type { Session } from "./session.ts";

/** Reads a secret file and passes on what is to be said of it. */
export async function loadSecret<T>(
  load: (path: string) => Promise<Loaded<T>>,
  path: string,
  { events }: Session,
): Promise<T> {
  const { value, warnings } = await load(path);
  for (const warning of warnings) events({ type: "warning", warning });
  return value;
}
