import { programVersion } from "../library/steps/version.ts";
import type { ExitCode } from "./program/exit-codes.ts";
import type { CliIo } from "./program/io.ts";
import { processIo } from "./program/io.ts";

/** Runs the program: reads the command line, runs the command, prints its result or its error. Returns the exit code. */
export async function main(
  argv: readonly string[] = process.argv.slice(2),
  io: CliIo = processIo(),
): Promise<ExitCode> {
  // Scripts call `--version` to check that the program is installed, so nothing else is loaded for it.
  if (argv.length === 1 && argv[0] === "--version") {
    io.stdout.write(`${programVersion()}\n`);
    return 0;
  }
  const { runCommandLine } = await import("./program/run.ts");
  return runCommandLine(argv, io);
}
