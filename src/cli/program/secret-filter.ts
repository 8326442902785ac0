import { credentialForms } from "../../redaction/credential-check.ts";
import type { CliIo, TextOutput } from "./io.ts";

/** Takes the run's credentials out of whatever is about to be printed, should one have slipped through. */
export interface SecretFilter {
  /** Values to look for. */
  add(...secrets: readonly string[]): void;
  filter(text: string): string;
}

const MARK = "«credential»";

/** A gate that knows no credential yet. */
export function createSecretFilter(): SecretFilter {
  const forms = new Set<string>();
  return {
    add(...secrets) {
      for (const secret of secrets) for (const form of credentialForms(secret)) forms.add(form);
    },
    // The longest first, so that nothing is left of one that another is a part of.
    filter: (text) =>
      [...forms].sort((a, b) => b.length - a.length).reduce((cleaned, form) => cleaned.replaceAll(form, MARK), text),
  };
}

/** The same io, with everything that is printed passed through the scrubber. */
export function filterOutput(io: CliIo, secretFilter: SecretFilter): CliIo {
  return { ...io, stdout: scrubbed(io.stdout, secretFilter), stderr: scrubbed(io.stderr, secretFilter) };
}

function scrubbed(output: TextOutput, secretFilter: SecretFilter): TextOutput {
  return {
    write: (text) => output.write(secretFilter.filter(text)),
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
  };
}
