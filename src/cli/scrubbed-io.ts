import type { CliIo, TextOutput } from "./io.ts";
import type { Scrubber } from "./scrubber.ts";

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
