import { compactJson } from "../../src/core/json.ts";
import type { Redactor } from "../../src/redaction/redactor.ts";
import { embed } from "./embed.ts";
import { LOOK_ALIKES } from "./look-alikes.ts";
import { PLANTED } from "./planted-secrets.ts";
import { seededRandom } from "../support/seeded-random.ts";

/** Number of secrets that are made of each kind. */
const SECRETS_PER_KIND = 10;

/** The result for one kind of secret. */
export interface Score {
  readonly kind: string;
  readonly tried: number;
  /** The faults with their texts: secrets that were left, and harmless texts that were redacted. */
  readonly wrong: readonly string[];
}

/** Redacts every planted secret. The scores name those that were left. */
export function scorePlanted(redact: Redactor): Promise<Score[]> {
  return score(PLANTED, async (make, seed, number) => {
    const { where, secret } = make(seededRandom(seed));
    const { kind, body } = embed(where, number);
    const { body: redacted } = await redact(kind, body);
    const left = JSON.stringify(redacted);
    const forms = [secret, JSON.stringify(secret).slice(1, -1), secret.slice(-12), secret.slice(0, 12)];
    return forms.some((form) => left.includes(form)) ? excerptOf(where) : undefined;
  });
}

/** Redacts every look-alike. The scores name those that were redacted. */
export function scoreLookAlikes(redact: Redactor): Promise<Score[]> {
  return score(LOOK_ALIKES, async (make, seed, number) => {
    const { kind, body } = embed(make(seededRandom(seed)), number);
    const { body: redacted, redactions } = await redact(kind, body);
    const touched = redactions.length > 0 || compactJson(redacted) !== compactJson(body);
    return touched ? `${JSON.stringify(redactions)} in ${excerptOf(body)}` : undefined;
  });
}

async function score<Make>(
  kinds: Readonly<Record<string, Make>>,
  tryOne: (make: Make, seed: number, number: number) => Promise<string | undefined>,
): Promise<Score[]> {
  const scored = Object.entries(kinds).map(async ([kind, make], position): Promise<Score> => {
    const tries = Array.from({ length: SECRETS_PER_KIND }, (_, index) => {
      const number = position * SECRETS_PER_KIND + index + 1;
      // Shift the places by one in each round, so that a kind meets all of them.
      return tryOne(make, number, number + position);
    });
    const wrong = (await Promise.all(tries)).filter((problem) => problem !== undefined);
    return { kind, tried: SECRETS_PER_KIND, wrong };
  });
  return Promise.all(scored);
}

function excerptOf(value: unknown): string {
  return JSON.stringify(value).slice(0, 300);
}

/** Returns a table of the scores with the totals at its end, and below it all faults. */
export function corpusTable(title: string, right: string, scores: readonly Score[]): string {
  const tried = scores.reduce((sum, each) => sum + each.tried, 0);
  const wrong = scores.reduce((sum, each) => sum + each.wrong.length, 0);
  const line = (kind: string, count: number, good: number): string =>
    `${kind.padEnd(36)} ${String(count).padStart(5)} ${String(good).padStart(8)}`;
  return [
    `${title.padEnd(36)} tried ${right.padStart(8)}`,
    ...scores.map((each) => line(each.kind, each.tried, each.tried - each.wrong.length)),
    `${line(`all ${scores.length} kinds`, tried, tried - wrong)}  ${((100 * (tried - wrong)) / tried).toFixed(2)} %`,
    ...scores.flatMap((each) => each.wrong.map((text) => `  ! ${each.kind}: ${text}`)),
  ].join("\n");
}
