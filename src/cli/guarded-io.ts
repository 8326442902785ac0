import { environmentSecrets } from "./environment-secrets.ts";
import type { CliIo } from "./io.ts";
import { commandNameOf } from "./misuse.ts";
import { scrubbedIo } from "./scrubbed-io.ts";
import { createScrubber } from "./scrubber.ts";
import type { Scrubber } from "./scrubber.ts";

/** Output from which the secrets of the environment are taken out, and later those that the run comes to know. */
export function guardedIo(argv: readonly string[], io: CliIo): { readonly io: CliIo; readonly scrubber: Scrubber } {
  const scrubber = createScrubber();
  // A sandbox that is started again says the keys it has: they may well be in the environment already.
  if (commandNameOf(argv) !== "sandbox") scrubber.add(...environmentSecrets(io.env));
  return { io: scrubbedIo(io, scrubber), scrubber };
}
