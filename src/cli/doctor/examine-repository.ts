import { randomBytes } from "node:crypto";
import { probeRepository } from "../../backup/probe-repository.ts";
import { StackferryError } from "../../core/errors.ts";
import type { ExaminedRepository } from "../output/doctor.ts";
import type { Session } from "../program/session.ts";
import { openRepositoryFor } from "../wiring/repository.ts";

/** Tries on a repository all that a backup does there. */
export async function examineRepository(name: string, session: Session): Promise<ExaminedRepository> {
  session.events({ type: "phase", phase: `trying ${name}` });
  let address = "";
  try {
    await using repository = await openRepositoryFor(name, session);
    ({ address } = repository);
    await probeRepository(repository, randomBytes(8).toString("hex"), session.signal);
    return { name, address };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return { name, address, error };
  }
}
