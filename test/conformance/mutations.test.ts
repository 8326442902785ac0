import { describe, expect, test } from "vitest";
import { startSandbox } from "../support/start-sandbox.ts";
import { disagreementsOf as managedDisagreementsOf } from "../support/managed-exchange.ts";
import { allDisagreementsOf, disagreementsOf } from "../support/self-hosted-exchange.ts";
import { takesAllCases } from "../support/tries.ts";
import { createCall, type StackAddress } from "./call-stack.ts";
import { mutationsOf, placeOf, validBodies, type Mutation } from "./mutations.ts";
import { recordedClauses, recordedVerdicts, verdictKey } from "./recorded-verdicts.ts";
import type { StackName } from "./rule.ts";
import { STACKS, addressOf } from "./sandbox-stack.ts";
import { clausesOf, formOf, type Clause } from "./sentences.ts";
import { RULES } from "./topics.ts";
import { openWorld, type World } from "./world.ts";

// Sends valid bodies in which one member has another value. The sandbox must accept and refuse what the published shapes accept and
// refuse, apart from what recordings and rules show, and must refuse it in the words of real servers.

/** `npm test` tries one of so many mutations, `npm run properties` all of them. */
const SHARE = 100;

/** Sentences of the sandbox's own: no recording and no rule has them. */
const UNPROVEN = new Set(["Unexpected token Q", "Expression is required"]);
/** What a managed sandbox accepts although the description requires a member: the server has a default. */
const DEFAULTED = /^sent POST sources \/durationPrecision: is missing$/;
/** The conversion of a series joins its fields into a text that may become longer than a described one. */
const JOINED = /\.<search>fields\.\*$/;

const clauses = [
  ...recordedClauses(),
  ...RULES.flatMap(({ refused }) => (refused === undefined ? [] : clausesOf(refused))),
];
const forms = new Set([...clauses.map(({ message }) => formOf(message)), ...UNPROVEN]);
const mistakes = new Set(clauses.map(mistakeOf));
const verdicts = recordedVerdicts();

interface Tried {
  readonly mutation: Mutation;
  readonly status: number;
  readonly words: string;
  /** Where the body differs from the published shape. */
  readonly undescribed: readonly string[];
  /** The same without the known errors of the shape. */
  readonly wrong: readonly string[];
}

describe.each(["self-hosted", "managed"] as const)("valid bodies with another value, on a %s sandbox,", (stack) => {
  test("are answered as the published shapes and the recordings have it", async () => {
    const { variant } = STACKS[stack];
    await using sandbox = await startSandbox(STACKS[stack]);
    const world = await openWorld(
      createCall(addressOf(sandbox), async () => undefined),
      variant,
    );
    const bodies = validBodies(RULES, stack);
    const refused = await refusedOf(
      world,
      bodies.map(({ kind, body }) => [kind, body] as const),
    );
    expect(refused).toEqual([]);

    const all = bodies.flatMap(mutationsOf).filter(({ of, path }) => !JOINED.test(placeOf(of.kind, of.body, path)));
    const counts: Record<string, { tried: number; accepted: number; recorded: number }> = {};
    const differences: string[] = [];
    for (const mutation of all.filter((_, index) => takesAllCases || index % SHARE === 7)) {
      const tried = await send(world, stack, mutation);
      const ofKind = (counts[mutation.of.kind] ??= { tried: 0, accepted: 0, recorded: 0 });
      ofKind.tried += 1;
      if (tried.status === 200) ofKind.accepted += 1;
      if (variant === "self-hosted" && verdictOn(mutation) !== undefined) ofKind.recorded += 1;
      const found = [
        ...differencesFromShape(tried, variant),
        ...(variant === "self-hosted" ? differencesFromRecordings(tried) : []),
      ];
      const place = placeOf(mutation.of.kind, mutation.of.body, mutation.path);
      differences.push(...found.map((each) => `${place} = ${JSON.stringify(mutation.value)?.slice(0, 40)}: ${each}`));
    }
    // oxlint-disable-next-line no-console -- this file is run for these counts.
    console.log(`${stack}: ${bodies.length} bodies, ${all.length} mutations; ${JSON.stringify(counts)}`);
    expect([...new Set(differences)]).toEqual([]);
  });
});

async function refusedOf(world: World, bodies: readonly (readonly [string, Mutation["body"]])[]): Promise<string[]> {
  const refused: string[] = [];
  for (const [kind, body] of bodies) {
    const mark = world.mark();
    const { status, words } = await world.write("POST", kind, body, "it");
    await world.clear(mark);
    if (status !== 200) refused.push(`${kind}: ${words}`);
  }
  return refused;
}

async function send(world: World, stack: StackName, mutation: Mutation): Promise<Tried> {
  const { of, body } = mutation;
  const mark = world.mark();
  const { status, words } = await world.write("POST", of.kind, body, "it");
  await world.clear(mark);
  const exchange = { route: `POST ${of.kind}`, sent: world.resolve(body), status: 400 };
  const requestId = "00000000-0000-4000-8000-000000000000";
  if (stack === "self-hosted") {
    const refusal = { ...exchange, answered: '{"message":""}' };
    const judged = { undescribed: allDisagreementsOf(refusal), wrong: disagreementsOf(refusal) };
    return { mutation, status, words, ...judged };
  }
  const refusal = { ...exchange, answered: JSON.stringify({ status: 400, requestId, error: "" }) };
  const undescribed = managedDisagreementsOf(refusal).filter((each) => !DEFAULTED.test(each));
  return { mutation, status, words, undescribed, wrong: undescribed };
}

/** Returns what differs from the published shape, apart from refusals for mistakes that recordings or rules show. */
function differencesFromShape(
  { status, words, undescribed, wrong }: Tried,
  variant: StackAddress["variant"],
): string[] {
  if (status === 200) return wrong.map((each) => `is accepted, but ${each}`);
  if (undescribed.length > 0) return [];
  // The description of managed stacks has no bounds, so recordings of other members prove their sentences, too.
  const isKnown = (clause: Clause) => {
    const form = formOf(clause.message);
    return variant === "managed" ? forms.has(form) : mistakes.has(mistakeOf(clause)) || UNPROVEN.has(form);
  };
  const unknown = clausesOf(words).filter((clause) => !isKnown(clause));
  return unknown.map(({ path, message }) => `is described, but refused: ${path} ${message}`);
}

/** Returns what differs from the words of recorded refusals, and from the recorded verdict on the same value at the same place. */
function differencesFromRecordings({ mutation, status, words }: Tried): string[] {
  const said = status === 200 ? [] : clausesOf(words);
  const foreign = said.filter(({ message }) => !forms.has(formOf(message)));
  const doubled = said.filter((one) => isTypeMistake(one) && said.filter(({ path }) => path === one.path).length > 1);
  const own = said.filter(({ path }) => path === mutation.path.join("."));
  const verdict = verdictOn(mutation);
  const isOtherwise =
    (verdict === "accepted" && own.length > 0) ||
    (typeof verdict === "object" && !own.some(({ message }) => verdict.has(message)));
  return [
    ...foreign.map(({ message }) => `no server is known to say: ${message}`),
    ...doubled.map(({ path }) => `two mistakes of ${path}, one of which is its type`),
    ...(isOtherwise ? [`recorded otherwise; the sandbox answers ${status} ${words}`] : []),
  ];
}

/** Returns the recorded messages about the value at its place, or that it is accepted; undefined if recordings show both or neither. */
function verdictOn({ of, path, value }: Mutation): ReadonlySet<string> | "accepted" | undefined {
  const verdict = verdicts.get(verdictKey(of.kind, of.body, path, value));
  if (verdict === undefined || (verdict.refused.size > 0 && verdict.accepted)) return undefined;
  return verdict.accepted ? "accepted" : verdict.refused;
}

function isTypeMistake({ message }: Clause): boolean {
  return /^Expected .*, received /.test(message) && !message.endsWith("received float");
}

/** Returns a mistake without the place of the member; of `null`, which is refused nearly everywhere, without the member. */
function mistakeOf({ path, message }: Clause): string {
  if (message.endsWith(", received null")) return "null";
  const member = path.split(".").findLast((word) => !/^\d+$/.test(word)) ?? "";
  return `${member}: ${formOf(message)}`;
}
