import type { JsonObject } from "../json.ts";
import type { ResourceKind } from "../resource-kind.ts";
import { applySpans } from "./apply-spans.ts";
import type { NameTest } from "./assigned-spans.ts";
import { shielded } from "./block-spans.ts";
import { exceptionTest } from "./exceptions.ts";
import type { ExceptionTest } from "./exceptions.ts";
import { idTest } from "./id-places.ts";
import { isNaming, leafAt, withLeaves } from "./leaves.ts";
import type { Leaf, Path } from "./leaves.ts";
import { namedSecret, nameTest } from "./named-secret.ts";
import { masked, placeholder } from "./placeholder.ts";
import { redactDeclared } from "./redact-declared.ts";
import type { Redacted } from "./redact-declared.ts";
import type { RedactionPolicy, SecretScanner, SecretSpan } from "./redaction-policy.ts";
import { suspectSearch } from "./suspects.ts";
import { textSearch } from "./text-spans.ts";
import type { TextSearch } from "./text-spans.ts";

/** Takes the secrets out of a record's body and lists each: one entry for each rule at each pointer. */
export type Redactor = (kind: ResourceKind, body: JsonObject) => Promise<Redacted>;

/** What one rule takes out may uncover another secret; so often is looked again, which has never been needed more than twice. */
const MOST_ROUNDS = 6;

interface Layers {
  readonly named: NameTest;
  readonly search: TextSearch;
  readonly scanner: SecretScanner | undefined;
  /** What is searched: the text with NUL in the place of what must not be touched. */
  readonly cover: (text: string) => string;
  readonly excepted: ExceptionTest;
}

/** A text on its way through the layers. */
interface Draft {
  readonly path: Path;
  readonly leaf: Leaf;
  text: string;
  readonly rules: Set<string>;
}

/**
 * Makes a redactor. Its layers, each seeing what the ones before have left: declared paths, member names that say
 * credential, addresses and forms of secrets in any text, the scanner. Redacting twice changes nothing more.
 */
export function createRedactor(policy: RedactionPolicy = {}): Redactor {
  const { level = "standard", scanner, names = [], exceptions = [] } = policy;
  const named = nameTest(names);
  const search = textSearch(policy, named);
  const cover = level === "strict" ? masked : (text: string): string => shielded(masked(text));
  const layers: Layers = { named, search, scanner, cover, excepted: exceptionTest(exceptions) };
  const suspectsIn = suspectSearch(named, search.signsOf);
  return (kind, body) => redact(kind, body, MOST_ROUNDS);
  async function redact(kind: ResourceKind, body: JsonObject, times: number): Promise<Redacted> {
    const declared = redactDeclared(kind, body);
    const suspects = suspectsIn(declared.body);
    if (suspects.length === 0) return declared;
    const isId = idTest(kind);
    const drafts = suspects
      .filter(({ path, value }) => !isId(path, value))
      .map(({ path, value }): Draft => {
        return { path, leaf: leafAt(declared.body, path, value), text: String(value), rules: new Set() };
      });
    for (const draft of drafts) takeNamed(draft, kind, layers);
    let open = drafts.filter(({ leaf, rules }) => typeof leaf.value === "string" && rules.size === 0);
    for (let round = 1; open.length > 0 && round <= MOST_ROUNDS; round += 1) open = await takeText(open, kind, layers);
    const changed = drafts.filter(({ rules }) => rules.size > 0);
    if (changed.length === 0) return declared;
    const texts = new Map(changed.map(({ path, text }) => [path, text]));
    const listed = changed.flatMap(({ leaf: { pointer }, rules }) => [...rules].map((rule) => ({ pointer, rule })));
    const left = withLeaves(declared.body, texts);
    // A name without its secret may say something else of its neighbours: `{ name: "password …", value: "…" }`.
    const renamed = times > 1 && changed.some(({ path }) => isNaming(String(path.at(-1))));
    const again: Redacted = renamed ? await redact(kind, left, times - 1) : { body: left, redactions: [] };
    return { body: again.body, redactions: distinct([...declared.redactions, ...listed, ...again.redactions]) };
  }
}

function distinct(redactions: Redacted["redactions"]): Redacted["redactions"] {
  return [...new Map(redactions.map((each) => [`${each.rule} ${each.pointer}`, each])).values()];
}

function takeNamed(draft: Draft, kind: ResourceKind, { named, excepted }: Layers): void {
  const { leaf } = draft;
  const rule = masked(draft.text).includes("\0") ? undefined : namedSecret(leaf, named);
  if (rule === undefined || excepted(kind, leaf, rule, draft.text)) return;
  draft.text = placeholder(rule);
  draft.rules.add(rule);
}

/** One round over texts; the answer is those that it has changed, as what is left of them has to be looked at again. */
async function takeText(drafts: readonly Draft[], kind: ResourceKind, layers: Layers): Promise<Draft[]> {
  const { search, scanner, cover, excepted } = layers;
  const changed = new Set<Draft>();
  const apply = (draft: Draft, spans: readonly SecretSpan[]): void => {
    const counted = spans.filter(
      ({ start, end, rule }) => !excepted(kind, draft.leaf, rule, draft.text.slice(start, end)),
    );
    if (counted.length === 0) return;
    const { text, rules } = applySpans(draft.text, cover(draft.text), counted);
    if (rules.length === 0) return;
    draft.text = text;
    for (const rule of rules) draft.rules.add(rule);
    changed.add(draft);
  };
  // The same text stands in many tiles: it is searched once.
  const found = new Map<string, readonly SecretSpan[]>();
  for (const draft of drafts) {
    const covered = cover(draft.text);
    const spans = found.get(covered) ?? search.find(covered, search.signsOf(covered));
    found.set(covered, spans);
    apply(draft, spans);
  }
  if (scanner) {
    const texts = [...new Set(drafts.map(({ text }) => cover(text)))];
    const asked = texts.filter((text) => search.toScan(search.signsOf(text)));
    const scanned = new Map(await Promise.all(asked.map(async (text) => [text, await scanner(text)] as const)));
    for (const draft of drafts) apply(draft, scanned.get(cover(draft.text)) ?? []);
  }
  return [...changed];
}
