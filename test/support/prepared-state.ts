import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import type { ProgramForTwoStacks } from "./program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What a preparation has left: the addresses and records of two sandboxes, and a copy of the program's folder. */
export interface PreparedState {
  readonly folder: string;
  readonly from: Pick<SandboxOptions, "port" | "seed">;
  readonly to: Pick<SandboxOptions, "port" | "seed">;
}

const states = new Map<string, PreparedState>();

/**
 * Returns what an equal preparation of the same test file has left, so that the same export and import need not run before each
 * test. The files name the addresses of the sandboxes, so both must listen on the same ports again.
 */
export function preparedState(key: string): PreparedState | undefined {
  const state = states.get(key);
  // The end of a test file removes its folders.
  return state !== undefined && existsSync(state.folder) ? state : undefined;
}

type Prepared = Pick<ProgramForTwoStacks, "cwd" | "from" | "to">;

/** Keeps the records of two sandboxes, and the files in the program's folder. */
export async function keepPreparedState(key: string, { cwd, from, to }: Prepared): Promise<void> {
  const folder = temporaryFolder();
  await cp(cwd, folder, { recursive: true });
  states.set(key, { folder, from: stateOf(from), to: stateOf(to) });
}

function stateOf(sandbox: Sandbox): PreparedState["from"] {
  return { port: Number(new URL(sandbox.url).port), seed: sandbox.stored() };
}

/** Returns nothing for the error that another sandbox still listens on the port, as where a test has two programs. */
export function ignoreUsedPort(error: unknown): undefined {
  if (!(error instanceof Error && "code" in error && error.code === "sandbox-io")) throw error;
}
