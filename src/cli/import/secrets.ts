import { resolve } from "node:path";
import type { SecretAnswer, SecretAnswers } from "../../core/secrets.ts";
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

/** Keeps completed lines of the run's own file, and of an existing file at that path, because somebody wrote them. */
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
  const present = [(await fileExists(path)) ? path : undefined, used].filter((path) => path !== undefined);
  const layers = await Promise.all([...new Set(present)].map(read));
  const { formatSecretsDraft } = await import("../../config/secrets/secrets-file.ts");
  await writePrivateFile(path, formatSecretsDraft(plan.missingSecrets, layers.reduce(withAnswers, {})));
  session.note(`wrote ${path}: ${pluralize(plan.missingSecrets.length, "line")} to fill in\n`);
}

/** Merges two sets of answers. For the same context, the second answer wins. */
function withAnswers(lines: SecretAnswers, others: SecretAnswers): SecretAnswers {
  const merged = new Map(Object.entries(lines));
  for (const [key, places] of Object.entries(others)) {
    const before = merged.get(key) ?? {};
    const added = Object.entries(places).map(([at, answers]) => [at, distinct([...(before[at] ?? []), ...answers])]);
    merged.set(key, { ...before, ...Object.fromEntries(added) });
  }
  return Object.fromEntries(merged);
}

function distinct(answers: readonly SecretAnswer[]): SecretAnswer[] {
  return [...new Map(answers.map((answer) => [answer.context, answer])).values()];
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
