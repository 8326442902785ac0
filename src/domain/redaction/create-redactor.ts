import type { JsonObject } from "../json.ts";
import { placesAt } from "../member-path.ts";
import { formatPointer } from "../pointer.ts";
import type { ResourceKind } from "../resource-kind.ts";
import { applySpans } from "./apply-spans.ts";
import type { NameTest } from "./assigned-spans.ts";
import { shielded } from "./block-spans.ts";
import { exceptionTest } from "./exceptions.ts";
import type { ExceptionTest } from "./exceptions.ts";
import { leavesOf, withLeaves } from "./leaves.ts";
import type { Leaf } from "./leaves.ts";
import { namedSecret, nameTest } from "./named-secret.ts";
import { masked, placeholder } from "./placeholder.ts";
import { redactDeclared } from "./redact-declared.ts";
import type { Redacted } from "./redact-declared.ts";
import type { RedactionPolicy, SecretScanner, SecretSpan } from "./redaction-policy.ts";
import { scanTexts } from "./scan-texts.ts";
import { textSearch } from "./text-spans.ts";

/** Takes the secrets out of a record's body and lists each: one entry for each rule at each pointer. */
export type Redactor = (kind: ResourceKind, body: JsonObject) => Promise<Redacted>;

/** What one rule takes out may uncover another secret; so often is looked again, which has never been needed more than twice. */
const MOST_ROUNDS = 6;
const ID = /^(?:[\da-f]{24}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

interface Layers {
  readonly named: NameTest;
  readonly search: (text: string) => readonly SecretSpan[];
  readonly scanner: SecretScanner | undefined;
  /** What is searched: the text with NUL in the place of what must not be touched. */
  readonly cover: (text: string) => string;
  readonly excepted: ExceptionTest;
}

/** A text on its way through the layers. */
interface Draft {
  readonly leaf: Leaf;
  text: string;
  readonly rules: Set<string>;
}

/**
 * Makes a redactor. Its layers, each seeing what the ones before have left: declared paths, member names that say
 * credential, addresses and forms of secrets in any text, the scanner. Redacting twice changes nothing more.
 */
export function createRedactor(policy: RedactionPolicy = {}): Redactor {
  const { level = "standard", scanner, names = [], patterns = [], exceptions = [], literals = [] } = policy;
  const named = nameTest(names);
  const search = textSearch({ level, named, thorough: names.length > 0, patterns, literals });
  const cover = level === "strict" ? masked : (text: string): string => shielded(masked(text));
  const layers: Layers = { named, search, scanner, cover, excepted: exceptionTest(exceptions) };
  return async (kind, body) => {
    const declared = redactDeclared(kind, body);
    const kept = idPointers(kind, declared.body);
    const drafts = leavesOf(declared.body)
      .filter(({ pointer }) => !kept.has(pointer))
      .map((leaf): Draft => ({ leaf, text: String(leaf.value), rules: new Set() }));
    const found = drafts.map((draft) => takeNamed(draft, kind, layers)).filter((draft) => draft !== undefined);
    let open = drafts.filter(({ leaf, rules }) => typeof leaf.value === "string" && rules.size === 0);
    for (let round = 1; open.length > 0 && round <= MOST_ROUNDS; round += 1) open = await takeText(open, kind, layers);
    const changed = drafts.filter(({ rules }) => rules.size > 0);
    if (changed.length + found.length === 0) return declared;
    const changes = new Map(changed.map(({ leaf, text }) => [leaf.pointer, text]));
    const listed = changed.flatMap(({ leaf: { pointer }, rules }) => [...rules].map((rule) => ({ pointer, rule })));
    return { body: withLeaves(declared.body, changes), redactions: [...declared.redactions, ...listed] };
  };
}

function takeNamed(draft: Draft, kind: ResourceKind, { named, excepted }: Layers): Draft | undefined {
  const { leaf } = draft;
  const rule = masked(draft.text).includes("\0") ? undefined : namedSecret(leaf, named);
  if (rule === undefined || excepted(kind, leaf, rule, draft.text)) return undefined;
  draft.text = placeholder(rule);
  draft.rules.add(rule);
  return draft;
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
    const spans = found.get(covered) ?? search(covered);
    found.set(covered, spans);
    apply(draft, spans);
  }
  if (scanner) {
    const scanned = await scanTexts(new Set(drafts.map(({ text }) => cover(text))), scanner);
    for (const draft of drafts) apply(draft, scanned.get(cover(draft.text)) ?? []);
  }
  return [...changed];
}

/** Where a record names itself, its parts and others: an id stays an id, whatever it looks like. */
function idPointers(kind: ResourceKind, body: JsonObject): ReadonlySet<string> {
  const paths = [
    "id",
    ...kind.children.map(({ member }) => `${member}[].id`),
    ...kind.references.map(({ path }) => path),
    ...kind.learned.map(({ path }) => path),
  ];
  const places = paths.flatMap((path) => placesAt(body, path));
  const ids = places.filter(
    ({ value, tokens }) => typeof value === "string" && (tokens.length === 1 || ID.test(value)),
  );
  return new Set(ids.map(({ tokens }) => formatPointer(tokens)));
}
