import { StackferryError } from "../../core/errors.ts";
import { recipientFlag, signFlag, stackToRead } from "../flags/arguments.ts";
import { selection, selectionFlagsWithAlerts } from "../flags/selection.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const exportCommand = defineCommand("export", {
  positionals: {},
  flags: {
    from: stackToRead,
    out: {
      type: "string",
      requiresArg: true,
      describe: "File, folder or s3://bucket/name.zip to write (default: stackferry-NAME-TIME.zip in this folder)",
    },
    format: {
      choices: ["zip", "folder", "code"] as const,
      describe: "One zip file (default), a folder with the same files, or YAML files to edit and `apply`",
    },
    mirror: { type: "boolean", describe: "With --format code: remove the files of records that are gone" },
    ...selectionFlagsWithAlerts,
    values: {
      advanced: true,
      type: "string",
      requiresArg: true,
      describe: "With --format code: values file for ${value:NAME} in the files, in addition to `values` of the stack",
    },
    pipe: {
      advanced: true,
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Read the pipe of this id, and no others but those in `pipeIds` of the configuration; repeatable",
    },
    recipient: { ...recipientFlag, describe: `${recipientFlag.describe}; writes NAME.zip.age` },
    sign: signFlag,
    redact: {
      advanced: true,
      choices: ["standard", "strict"] as const,
      requiresArg: true,
      describe: "Take out secrets (standard), or also certificates, ARNs and random text (strict)",
    },
    "allow-partial": {
      advanced: true,
      type: "boolean",
      describe: "Write an archive even if something could not be read",
    },
  },
  examples: [
    ["export --from production", "everything, into an archive in this folder"],
    ["export --from http://localhost:8000 --out backup.zip", "the key comes from STACKFERRY_API_KEY"],
    ["export --from production --recipient age1…", "encrypted, so that only the owner of that age key can read it"],
    ["export --from production --format folder --out ./stack", "one file per record, as the stack sent it"],
    ["export --from production --format code --out ./stack", "records by name, to edit and keep in git"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  prepare: (args) => {
    refuseOtherFormats(args.out, args.format);
    const request = {
      ...selection(args),
      from: args.from,
      out: args.out,
      format: args.format ?? "zip",
      mirror: args.mirror ?? false,
      valuesFile: args.values,
      pipeIds: args.pipe ?? [],
      allowPartial: args["allow-partial"] ?? false,
      redaction: args.redact ?? "standard",
      recipients: args.recipient ?? [],
      signingKey: args.sign,
    };
    return async (session) => (await import("../runs/export.ts")).runExport(request, session);
  },
});

/**
 * Refuses an output file whose name looks like another format.
 * @throws StackferryError `usage` for a name with an ending other than zip or age, unless `--format` is given
 */
function refuseOtherFormats(out: string | undefined, format: string | undefined): void {
  const [ending] = /\.[A-Za-z]\w*$/.exec(out ?? "") ?? [];
  if (format !== undefined || ending === undefined || /^\.(?:zip|age)$/i.test(ending)) return;
  throw new StackferryError("usage", `an archive is a zip file or a folder, and ${ending} is neither`, {
    hint: "name it .zip, or say --format folder",
  });
}
