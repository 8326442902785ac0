import { withoutLineEnd } from "../../core/text/line-end.ts";
import { credentialForms } from "../../redaction/credentials.ts";
import type { CliIo, TextOutput } from "./io.ts";

/** Removes the run's credentials from all output, as the last defence: only `sandbox` prints credentials on purpose. */
export interface OutputScrubber {
  add(...secrets: readonly string[]): void;
  scrub(text: string): string;
}

const MARK = "«credential»";

export function createOutputScrubber(): OutputScrubber {
  const forms = new Set<string>();
  return {
    add(...secrets) {
      for (const secret of secrets) for (const form of credentialForms(secret)) forms.add(form);
    },
    // The longest secret is replaced first, because a secret can contain another one.
    scrub: (text) =>
      [...forms].sort((a, b) => b.length - a.length).reduce((cleaned, form) => cleaned.replaceAll(form, MARK), text),
  };
}

function scrubbedOutput(output: TextOutput, outputScrubber: OutputScrubber): TextOutput {
  return {
    write: (text) => output.write(outputScrubber.scrub(text)),
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
  };
}

/** Wraps the io so that its output omits the environment's secrets, and secrets that the run adds later. */
export function createScrubbedIo(
  io: CliIo,
  command?: string,
): { readonly io: CliIo; readonly outputScrubber: OutputScrubber } {
  const outputScrubber = createOutputScrubber();
  // A sandbox prints its keys on purpose. The user may have put them into the environment already.
  if (command !== "sandbox") outputScrubber.add(...environmentSecrets(io.env));
  const [stdout, stderr] = [scrubbedOutput(io.stdout, outputScrubber), scrubbedOutput(io.stderr, outputScrubber)];
  return { io: { ...io, stdout, stderr }, outputScrubber };
}

const NAMES = /^STACKFERRY_(?:.+_)?(?:API_KEY|KEY_ID|KEY_SECRET|PASSPHRASE)$/;

/** Includes variables that the run does not use, because a crash can print any of them. */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (NAMES.test(name) && value ? [withoutLineEnd(value)] : []));
}
