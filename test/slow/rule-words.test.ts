import { describe, expect, it } from "vitest";
import { visitStrings } from "../../src/core/json.ts";
import { builtInRules, createTextSearch, type RedactionPolicy } from "../../src/redaction/text-rules.ts";
import { createNameTest } from "../../src/redaction/values/names.ts";
import { BLIND_SETS, PUBLIC_SETS, blindCases, publicCases, recordOf } from "../corpus/blind-sets.ts";
import { assignedEdges, formedEdges } from "../corpus/edge-texts.ts";
import { HARD_LOOK_ALIKES, HARD_SECRET, HARD_SECRETS, KNOWN_MISSES, PASSPHRASES } from "../corpus/hard-cases.ts";
import { LOOK_ALIKES } from "../corpus/look-alikes.ts";
import { PLANTED } from "../corpus/planted-secrets.ts";
import { splicedText } from "../corpus/spliced-texts.ts";
import { seededRandom } from "../support/seeded-random.ts";

const policies: readonly RedactionPolicy[] = [{}, { names: ["teamPin", "größe"] }];

/**
 * Returns the texts for which the search gives another result than running every rule does, and the number of secrets that
 * the rules find.
 */
async function compare(
  texts: Iterable<string>,
  policy: RedactionPolicy,
): Promise<{ readonly lost: string[]; readonly found: number }> {
  const named = createNameTest(policy.names ?? []);
  const rules = builtInRules(policy, named);
  const search = createTextSearch(policy, named);
  const lost: string[] = [];
  let found = 0;
  for (const text of texts) {
    const spans = rules.flatMap(({ find }) => find(text));
    found += spans.length;
    if (spans.length === 0) continue;
    const byRules = (await search.find(text)).filter(({ rule }) => !rule.startsWith("scanner-"));
    if (!search.mayHoldSecret(text) || JSON.stringify(byRules) !== JSON.stringify(spans)) lost.push(text);
  }
  return { lost, found };
}

function corpusTexts(): string[] {
  const made = [...Object.values(PLANTED), ...Object.values(LOOK_ALIKES)].flatMap((make, position) =>
    Array.from({ length: 6 }, (_, index) => make(seededRandom(position * 100 + index))),
  );
  const records = [...BLIND_SETS.flatMap(blindCases), ...PUBLIC_SETS.flatMap(publicCases)].map(
    (each) => recordOf(each)[1],
  );
  const texts = [...HARD_SECRETS, ...HARD_LOOK_ALIKES, ...KNOWN_MISSES, ...PASSPHRASES].map((text) =>
    text.replace("@@", HARD_SECRET),
  );
  visitStrings(JSON.parse(JSON.stringify([made, records])), (text) => texts.push(text));
  return texts;
}

describe("each text in which a redaction rule finds a secret contains a word of that rule", () => {
  it("in the corpus and the sets", async () => {
    const { lost, found } = await compare(corpusTexts(), { names: ["teamPin"] });
    expect(lost).toEqual([]);
    expect(found).toBeGreaterThan(1000);
  });

  it.each(policies)("in thousands of texts that are cut up and run together", async (policy) => {
    const texts = Array.from({ length: 2000 }, (_, index) => splicedText(seededRandom(0x5e_ed + index)));
    const { lost, found } = await compare(texts, policy);
    expect(lost).toEqual([]);
    expect(found).toBeGreaterThan(1000);
  });

  it.each([
    ["values of names", assignedEdges],
    ["forms", formedEdges],
  ])("in %s at the edges of what rules ask for", async (_, texts) => {
    // Tries every third text, because all of them take minutes.
    const some = [...texts()].filter((_text, index) => index % 3 === 0);
    const { lost, found } = await compare(some, { names: ["teamPin"] });
    expect(lost).toEqual([]);
    expect(found).toBeGreaterThan(5000);
  });
});
