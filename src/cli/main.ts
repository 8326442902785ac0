import { programVersion } from "../library/steps/version.ts";
import type { ExitCode } from "./program/exit-codes.ts";
import { processIo, type CliIo } from "./program/io.ts";

/** Runs the program: reads the command line, runs the command, prints its result or its error. Returns the exit code. */
export async function main(argv: readonly string[] = process.argv.slice(2), io?: CliIo): Promise<ExitCode> {
  try {
    return await runMain(argv, io ?? processIo());
  } catch (error) {
    // Without a working directory, or with too low a limit of open files, no command can even begin.
    process.stderr.write(`stackferry: cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.stderr.write("  check that the working directory exists, and the limit of open files (ulimit -n)\n");
    return 1;
  }
}

async function runMain(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  // Scripts call `--version` to check that the program is installed, so nothing else is loaded for it. Most programs print it for a
  // lone `-v`.
  if (argv.length === 1 && /^(?:--version|-v)$/i.test(argv[0] ?? "")) {
    io.stdout.write(`${programVersion()}\n`);
    return 0;
  }
  const { runCommandLine } = await import("./program/run.ts");
  return runCommandLine(argv, io);
}
