import { credentialForms } from "../../redaction/credential-check.ts";
import type { CliIo, TextOutput } from "./io.ts";

/** Takes the run's credentials out of whatever is about to be printed, should one have slipped through. */
export interface Scrubber {
  /** Values to look for. */
  add(...secrets: readonly string[]): void;
  scrub(text: string): string;
}

const MARK = "«credential»";

/** A gate that knows no credential yet. */
export function createScrubber(): Scrubber {
  const forms = new Set<string>();
  return {
    add(...secrets) {
      for (const secret of secrets) for (const form of credentialForms(secret)) forms.add(form);
    },
    // The longest first, so that nothing is left of one that another is a part of.
    scrub: (text) =>
      [...forms].sort((a, b) => b.length - a.length).reduce((cleaned, form) => cleaned.replaceAll(form, MARK), text),
  };
}

/** The same io, with everything that is printed passed through the scrubber. */
export function scrubbedIo(io: CliIo, scrubber: Scrubber): CliIo {
  return { ...io, stdout: scrubbed(io.stdout, scrubber), stderr: scrubbed(io.stderr, scrubber) };
}

function scrubbed(output: TextOutput, scrubber: Scrubber): TextOutput {
  return {
    write: (text) => output.write(scrubber.scrub(text)),
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
  };
}
