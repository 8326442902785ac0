import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { ResourceKind } from "../../src/core/resource-kind.ts";
import { dashboards } from "../../src/kinds/dashboards.ts";
import { findKind } from "../../src/kinds/registry.ts";
import { nameTest } from "../../src/redaction/values/names.ts";
import type { RedactionPolicy } from "../../src/redaction/policy.ts";
import type { MakePrefilter } from "../../src/redaction/search/prefilter.ts";
import { makePrefilter } from "../../src/redaction/search/prefilter.ts";
import { createRedactor, redactorWith } from "../../src/redaction/redactor.ts";
import { createSecretScanner } from "../../src/redaction/secretlint-scanner.ts";
import { textSearch } from "../../src/redaction/search/text-search.ts";
import { assignedEdges, formedEdges } from "../corpus/edge-texts.ts";
import { BLIND_SETS, PUBLIC_SETS, blindCases, publicCases, recordOf } from "../corpus/blind-sets.ts";
import { embed } from "../corpus/embed.ts";
import { HARD_LOOK_ALIKES, HARD_SECRET, HARD_SECRETS, KNOWN_MISSES, PASSPHRASES } from "../corpus/hard-cases.ts";
import { LOOK_ALIKES } from "../corpus/look-alikes.ts";
import { madeDashboards } from "../corpus/made-dashboards.ts";
import { PLANTED } from "../corpus/planted-secrets.ts";
import { splicedText } from "../corpus/spliced-texts.ts";
import { seededRandom } from "../support/seeded-random.ts";

interface Specimen {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
}

const scanner = createSecretScanner();
const policies: readonly RedactionPolicy[] = [
  {},
  { level: "strict" },
  { names: ["teamPin", "größe"], patterns: [{ rule: "acme", pattern: "acme[a-z]{3}" }], literals: ["hunter10"] },
];
/** A prefilter that filters nothing. */
const all: MakePrefilter = (hints) => ({ passes: () => true, matching: () => hints });
/** Redacts with the prefilter, and with every rule and the scanner on every text; the answer is which rules found something. */
async function compare(specimens: readonly Specimen[], policy: RedactionPolicy): Promise<Set<string>> {
  const fast = createRedactor({ ...policy, scanner });
  const whole = redactorWith({ ...policy, scanner }, all);
  const compared = specimens.map(async ({ kind, body }) => {
    const [quick, full] = await Promise.all([fast(kind, body), whole(kind, body)]);
    expect(quick, JSON.stringify(body)).toEqual(full);
    return full.redactions.map(({ rule }) => rule);
  });
  return new Set((await Promise.all(compared)).flat());
}

const inText = (markdown: string): Specimen => ({ kind: dashboards, body: { tiles: [{ config: { markdown } }] } });

describe("with the prefilter the same is found as without", () => {
  it.each(policies)("in the corpus", async (policy) => {
    const makers = [...Object.values(PLANTED), ...Object.values(LOOK_ALIKES)];
    const made = makers.flatMap((make, position) =>
      Array.from({ length: 6 }, (_, index) => {
        const what = make(seededRandom(position * 100 + index));
        return embed(typeof what === "object" && "where" in what ? (what.where as JsonObject) : what, position + index);
      }),
    );
    const hard = [...HARD_SECRETS, ...HARD_LOOK_ALIKES, ...KNOWN_MISSES, ...PASSPHRASES];
    const rules = await compare([...made, ...hard.map((text) => inText(text.replace("@@", HARD_SECRET)))], policy);
    expect(rules.size).toBeGreaterThan(20);
  });

  it.each(policies)("in the sets that were written without sight of the rules", async (policy) => {
    const specimens = [...BLIND_SETS.flatMap(blindCases), ...PUBLIC_SETS.flatMap(publicCases)].map((each) => {
      const [name, body] = recordOf(each);
      return { kind: findKind(name) ?? dashboards, body };
    });
    const rules = await compare(specimens, policy);
    expect(rules.size).toBeGreaterThan(30);
  });

  it.each(policies)("in thousands of texts that are cut up and run together", async (policy) => {
    const rules = new Set<string>();
    for (let part = 0; part < 6; part += 1) {
      const texts = Array.from({ length: 500 }, (_, index) => splicedText(seededRandom(0x5e_ed + part * 500 + index)));
      for (const rule of await compare(texts.map(inText), policy)) rules.add(rule);
    }
    expect([...rules].filter((rule) => rule.startsWith("scanner-")).length).toBeGreaterThanOrEqual(2);
    expect(rules.size).toBeGreaterThan(40);
  });

  it.each([
    ["values of names", assignedEdges],
    ["forms", formedEdges],
  ])("in %s at the edges of what rules ask for", (_, texts) => {
    const searchWith = (prefilter: MakePrefilter) =>
      textSearch({ names: ["teamPin"] }, nameTest(["teamPin"]), prefilter);
    const [filtered, whole] = [searchWith(makePrefilter), searchWith(all)];
    let found = 0;
    const lost: string[] = [];
    for (const text of texts()) {
      const spans = whole.find(text);
      found += spans.length;
      if (spans.length === 0) continue;
      if (!filtered.isMarked(text) || JSON.stringify(filtered.find(text)) !== JSON.stringify(spans)) lost.push(text);
    }
    expect(lost).toEqual([]);
    expect(found).toBeGreaterThan(10_000);
  });

  it("in whole dashboards", async () => {
    const rules = await compare(
      madeDashboards(3, 15, 20).map(({ body }) => ({ kind: dashboards, body })),
      {},
    );
    expect([...rules]).toEqual(["assigned-secret"]);
  });
});
