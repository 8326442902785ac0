import type { ArchiveProtection } from "./export-to.ts";
import { exportTo } from "./export-to.ts";
import type { StackSettings } from "../../config/stack-settings.ts";
import type { Exporter } from "../../jobs/backup-stack.ts";
import { openClient } from "../open-stack.ts";
import type { Session } from "../session.ts";

/** Exports all of a stack to a zip of this machine; nothing is left out, or there is no archive. */
export function exporterOf(settings: StackSettings, protection: ArchiveProtection, session: Session): Exporter {
  return async (path) => {
    await using client = openClient(settings, session);
    const everything = { kinds: [], filter: { include: [], exclude: [] }, pipeIds: [], allowPartial: false };
    const target = { path, format: "zip" as const, ...everything, ...protection };
    const { archive } = await exportTo(target, client, settings, session);
    return { contentDigest: archive.contentDigest };
  };
}
