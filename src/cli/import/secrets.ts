import { StackferryError } from "../../core/errors.ts";
import { resolve } from "node:path";
import type { SecretAnswers } from "../../core/secrets.ts";
import type { Plan } from "../../core/plan/plan.ts";
import { pluralize } from "../../core/text/format.ts";
import { writePrivateFile } from "../../files/atomic-write.ts";
import { normaliseSecrets } from "../../library/options/option-values.ts";
import type { Session } from "../program/session.ts";
import { fileExists } from "../../files/regular-file.ts";

/** The variable that names a secrets file if `--secrets` does not. */
const VARIABLE = "STACKFERRY_SECRETS";

/** Loads the secrets file of a run, if there is one. From then on, no output may contain the file's values. */
export async function loadSecrets(file: string | undefined, session: Session): Promise<SecretAnswers> {
  const path = secretsPath(file, session);
  if (path === undefined) return {};
  const { expandSecretAnswers } = await import("../../config/secrets/secrets-file.ts");
  const { secretAnswers, values } = normaliseSecrets(await expandSecretAnswers(await read(path), path, session.io.env));
  session.outputScrubber.add(...values);
  return secretAnswers;
}

/** Keeps the answers of the run's own file, because somebody wrote them. */
export async function writeSecretsDraft(
  target: string,
  plan: Plan,
  file: string | undefined,
  session: Session,
): Promise<void> {
  const path = resolve(session.io.cwd, target);
  if (plan.missingSecrets.length === 0) {
    session.note(`no secret is missing, so no secrets file is needed: ${path} is not written\n`);
    return;
  }
  const used = secretsPath(file, session);
  if (path !== used && (await fileExists(path))) {
    const hint = "name a new file, or give this one to --secrets, too: its answers are kept then";
    throw new StackferryError("usage", `${path} is there already, and is not overwritten`, { hint });
  }
  const { formatSecretsDraft } = await import("../../config/secrets/secrets-file.ts");
  await writePrivateFile(path, formatSecretsDraft(plan.missingSecrets, used === undefined ? {} : await read(used)));
  session.note(`wrote ${path}: ${pluralize(plan.missingSecrets.length, "line")} to fill in\n`);
}

/** Reads a secrets file. Loads the YAML reader on demand, because loading it takes longer than most commands run. */
async function read(path: string): Promise<SecretAnswers> {
  const { loadSecretsFile } = await import("../../config/secrets/secrets-file.ts");
  return loadSecretsFile(path);
}

function secretsPath(file: string | undefined, { io }: Session): string | undefined {
  const path = file ?? (io.env[VARIABLE] || undefined);
  return path === undefined ? undefined : resolve(io.cwd, path);
}
