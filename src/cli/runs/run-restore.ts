import { join } from "node:path";
import { openArchive } from "../../archive/reader.ts";
import { chooseStored } from "../../jobs/choose-stored.ts";
import type { ArchiveChoice } from "../../jobs/choose-stored.ts";
import { archiveKeys } from "../archive-keys.ts";
import { backupTools } from "../backup-tools.ts";
import type { ImportRequest } from "../commands/import-flags.ts";
import { fetchArchive } from "../fetch-archive.ts";
import { openPlaceFor } from "../open-place.ts";
import { openClient, reported, resolveFor } from "../open-stack.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import { signerOf } from "../signer-of.ts";
import { importArchive } from "./import-archive.ts";

/** `stackferry restore`, normalised. */
export interface RestoreRequest extends ImportRequest {
  readonly place: string;
  readonly stack: string;
  readonly choice: ArchiveChoice;
  readonly to: string;
  /** File of an Ed25519 public key. */
  readonly signer: string | undefined;
}

/** Fetches a backup and imports it. */
export async function runRestore(request: RestoreRequest, session: Session): Promise<CommandResult> {
  const { events, signal, io } = session;
  const settings = await resolveFor(request.to, "to", session);
  session.facts.to = reported(settings);
  const signer = await signerOf(request.signer, session);
  await using place = await openPlaceFor(request.place, session);
  const tools = backupTools(place, session);
  const chosen = await chooseStored(request.stack, request.choice, tools, { events, signal });
  events({ type: "phase", phase: `fetching ${chosen.name}` });
  await using fetched = await fetchArchive(place, chosen.name, session);
  await using reader = await openArchive(fetched.path, {
    keys: archiveKeys(session),
    ...(signer !== undefined && { signer }),
  });
  const label = `${place.address}/${chosen.name}`;
  session.facts.archive = { ...reader.summary, path: label };
  session.facts.from = { label, ...reader.manifest.source };
  await using client = openClient(settings, session);
  // The copy is thrown away; its journal stays here, so that a restore that was cut short is gone on with.
  const journalBase = join(io.cwd, `stackferry-restore-${chosen.name.replace("/", "-")}`);
  return await importArchive(reader, { settings, client, journalBase }, request, session);
}
