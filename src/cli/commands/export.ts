import { defineCommand } from "../program/parse/define-command.ts";
import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import { fileTimeStamp } from "../../core/text/format.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { ExportResult } from "../../export/export-stack.ts";
import { archivePath, exportToArchive, type ArchiveProtection } from "../../library/export-archive.ts";
import { checkCodeExport, type ExportFormat } from "../../library/steps/export-code.ts";
import { namedKinds, refuseUnlistedKinds } from "../../library/steps/selection.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import { parseSelection } from "../flags/selection.ts";
import { failuresBlock } from "../../report/view/plan.ts";
import { exportResultText } from "../output/archive.ts";
import { blocksText } from "../output/text.ts";
import { createRunRedactor } from "../wiring/config.ts";
import { readCodeValues } from "../wiring/code-values.ts";
import { exitCodeOfOutcomes } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { chooseProtection, type ProtectionOptions } from "../wiring/archive-keys.ts";
import { exportToRepository } from "../wiring/export.ts";
import { openClient, toReportedStack, resolveStack } from "../wiring/stack.ts";

export const exportCommand = defineCommand("export", {
  prepare: (args) => {
    refuseOtherFormats(args.out, args.format);
    const { format = "zip", redact = "standard" } = args;
    return { ...args, ...parseSelection(args), format, redact };
  },
  run: async (request, session) => {
    const { format, mirror, filter, pipe, allowPartial } = request;
    const requested = namedKinds(request.kinds);
    checkCodeExport({ format, mirror, signed: request.sign !== undefined, filter });
    const protection = await protectionOf(format, request, session);
    const settings = await resolveStack(request.from, "from", session);
    session.runState.from = toReportedStack(settings);
    const name =
      request.out ??
      `stackferry-${settings.stackName}-${fileTimeStamp(session.startedAt)}${format === "zip" ? ".zip" : ""}`;
    const path = archivePath(resolve(session.io.cwd, name), protection.encryption);
    if (pipe.length > 0) refuseUnlistedKinds(namedKinds(["pipes"]), settings);
    await using client = openClient(settings, session);
    const redact = await createRunRedactor(session, request.redact);
    const exportSettings =
      pipe.length === 0 ? settings : { ...settings, pipeIds: [...(settings.pipeIds ?? []), ...pipe] };
    const values = await readCodeValues(settings, request.values, session);
    const options = { format, mirror, values, kinds: requested, filter, allowPartial, ...protection };
    const job = { ...options, client, settings: exportSettings, redact, now: session.io.now() };
    const run = (to: string): Promise<ExportResult> => exportToArchive({ ...job, path: to }, session);
    const result = isS3Address(name)
      ? await exportToRepository({ ...options, out: name }, run, session)
      : await run(path);
    const { archive, outcomes, kinds, incomplete, notHeld, redactions, needed } = result;
    session.runState.archive = archive;
    const isFailed = Object.values(kinds).some(({ status }) => status === "failed");
    const isIncomplete = isFailed || incomplete.length > 0 || offersNone(requested, result);
    return {
      exitCode: isIncomplete ? 3 : exitCodeOfOutcomes(outcomes),
      text: (display) =>
        exportResultText(result, format === "code", blocksText(failuresBlock(result.outcomes), display), display),
      outcomes,
      details: { kinds, incomplete, notHeld, redactions, needed },
    };
  },
});

/** Loads the keys before the first request, and refuses encryption for a format other than zip. */
async function protectionOf(
  format: ExportFormat,
  keys: ProtectionOptions,
  session: Session,
): Promise<ArchiveProtection> {
  const protection = await chooseProtection(keys, session);
  if (protection.encryption !== undefined && format !== "zip") {
    throw new StackferryError("usage", `an archive in ${format} form cannot be encrypted`, {
      hint: "write a zip, or give neither recipient nor passphrase (nor STACKFERRY_PASSPHRASE)",
    });
  }
  return protection;
}

function offersNone(requestedKinds: readonly ResourceKind[], { kinds }: ExportResult): boolean {
  return requestedKinds.length > 0 && requestedKinds.every(({ name }) => kinds[name]?.status === "not-offered");
}

/** Refuses a file name that looks like another format, unless `--format` is given. @throws StackferryError `usage` */
function refuseOtherFormats(out: string | undefined, format: string | undefined): void {
  const [ending] = /\.[A-Za-z]\w*$/.exec(out ?? "") ?? [];
  if (format !== undefined || ending === undefined || /^\.(?:zip|age)$/i.test(ending)) return;
  throw new StackferryError("usage", `an archive is a zip file or a folder, and ${ending} is neither`, {
    hint: "name it .zip, or say --format folder",
  });
}
