import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Base } from "../../../src/core/plan/base.ts";
import { recordKey } from "../../../src/core/records/record.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import type { Inventory } from "../../../src/matching/inventory.ts";
import { matchAll, type MatchBasis } from "../../../src/matching/match-all.ts";
import { indexArchive } from "../../../src/references/archive-index.ts";
import { plainImport } from "../../support/import-stage.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../../support/stack-records.ts";

// Every kind climbs one ladder: the map file, the memory of earlier runs, the same id on the same stack, content, natural key. Each
// row of the tables is one rung, and each kind takes every row. Here is the record A of the archive; there are records of the target.

const [A, B, C] = [hexId("a", 1), hexId("b", 1), hexId("b", 2)];
const [MAIN, LOGS, HOOK, FAR, BOARD] = [hexId("c", 1), hexId("c", 2), hexId("c", 3), hexId("c", 4), hexId("d", 1)];
const connection = (id: string, name: string, host: string, username = "reader"): JsonObject => ({
  id,
  name,
  host: `http://${host}:8123`,
  username,
});
const board = dashboard(BOARD, "Host", LOGS);
/** Records that both stacks have under the same ids, for those that depend on them. */
const shared = {
  connections: [connection(MAIN, "Main", "shared")],
  sources: [source(LOGS, "Shared", MAIN, "shared")],
  webhooks: [webhook(HOOK, "shared")],
  dashboards: [board],
};
type Kind = "connections" | "sources" | "webhooks" | "saved-searches" | "dashboards" | "alerts";

interface Sample {
  /** A record, by default the one of the archive. */
  readonly make: (id: string, name?: string) => JsonObject;
  /** Other content under the same natural key. */
  readonly edit: JsonObject;
  /** A third content under this key. */
  readonly editAgain: JsonObject;
  /** Whatever else makes two records unlike. */
  readonly strange: JsonObject;
}

const savedSearch = (id: string, name: string): JsonObject => ({ id, name, sourceId: LOGS, where: "level:error" });
const SAMPLES: Readonly<Record<Kind, Sample>> = {
  connections: {
    make: (id, name = "Ours") => connection(id, name, "ours", "writer"),
    edit: { username: "somebody" },
    editAgain: { username: "third" },
    strange: { username: "somebody", host: "http://strange:8123" },
  },
  sources: {
    make: (id, name = "Ours") => source(id, name, MAIN, "ours"),
    edit: { timestampValueExpression: "Edited" },
    editAgain: { timestampValueExpression: "Third" },
    strange: { from: { databaseName: "default", tableName: "strange" } },
  },
  webhooks: {
    make: (id, name = "Ours") => webhook(id, name),
    edit: { url: "https://hooks.example.com/edited" },
    editAgain: { url: "https://hooks.example.com/third" },
    strange: { url: "https://strange.example.com/in" },
  },
  "saved-searches": {
    make: (id, name = "Ours") => savedSearch(id, name),
    edit: { where: "edited" },
    editAgain: { where: "third" },
    strange: { where: "strange" },
  },
  dashboards: {
    make: (id, name = "Ours") => dashboard(id, name, LOGS),
    edit: { tags: ["edited"] },
    editAgain: { tags: ["third"] },
    strange: { tiles: [] },
  },
  alerts: {
    make: (id, name = "Ours") => alert(id, name, board, HOOK),
    edit: { threshold: 99 },
    editAgain: { threshold: 98 },
    strange: { threshold: 1 },
  },
};
const KINDS = Object.keys(SAMPLES) as Kind[];

const own = { variant: "self-hosted", baseUrl: "http://memory.test" } as const;

/** Adds a kind's records to those that both stacks have. */
const withShared = (kind: Kind, bodies: readonly JsonObject[]) =>
  records({ ...shared, [kind]: [...(kind in shared ? shared[kind as keyof typeof shared] : []), ...bodies] });

interface Given {
  readonly map?: string;
  readonly base?: string;
  /** The counterpart that the name of a code file gives. */
  readonly file?: string;
  readonly ownStack?: boolean;
  /** Set for the images of a rollback: the records of the target that were there before the deletes. */
  readonly others?: readonly string[];
}

/** Matches records of one kind. Returns the counterpart of A, or its candidates in brackets, or "none". */
async function counterpartOf(
  kind: Kind,
  here: readonly JsonObject[],
  there: readonly JsonObject[],
  { map, base, file, ownStack = false, others }: Given = {},
) {
  const archive = await indexArchive(withShared(kind, here));
  const listed = [...withShared(kind, there), ...records({ connections: [connection(FAR, "Far", "far")] })];
  const inventory: Inventory = {
    stack: own,
    kinds: new Map(
      kinds.map(({ name }) => [name, { status: "complete", records: listed.filter((each) => each.kind === name) }]),
    ),
  };
  const bases = new Map<ReturnType<typeof recordKey>, Base>();
  if (base !== undefined)
    bases.set(recordKey(kind, A), { targetId: base, name: "", ours: false, parts: {}, whole: false });
  const isMadeAgain = others && ((_: unknown, { id }: { id: string }) => !others.includes(id));
  const basis: MatchBasis = { bases, ownStack, isMadeAgain };
  const lineFor = (to: string | undefined) => (to === undefined ? {} : { [kind]: { [A]: to } });
  const options = { ...plainImport, mapping: lineFor(map), paired: lineFor(file) };
  const { ids, pairs, matches } = await matchAll(archive, inventory, options, basis);
  const candidates = pairs.get(kind)?.ambiguous.get(A);
  return {
    counterpart: ids.get(kind, A) ?? (candidates ? candidates.map(({ id }) => `(${id})`).join(" ") : "none"),
    elsewhere: pairs
      .get(kind)
      ?.elsewhere.get(A)
      ?.map(({ id }) => id),
    rule: matches.find(({ space, from }) => space === kind && from === A)?.rule,
    second: ids.get(kind, C),
  };
}

type Rung = [
  title: string,
  there: (sample: Sample) => JsonObject[],
  given: Given,
  counterpart: string,
  rule?: string,
  here?: (sample: Sample) => JsonObject[],
];

const equal = ({ make }: Sample, id: string): JsonObject => make(id);
const edited = ({ make, edit }: Sample, id: string): JsonObject => ({ ...make(id), ...edit });
const third = ({ make, editAgain }: Sample, id: string): JsonObject => ({ ...make(id), ...editAgain });
const stranger = ({ make, strange }: Sample, id: string): JsonObject => ({ ...make(id, "Stranger"), ...strange });

const RUNGS: readonly Rung[] = [
  ["the map file comes before what earlier runs know", (of) => [stranger(of, B), equal(of, C)], { map: B, base: C }, B],
  ["the map file comes before the own id", (of) => [equal(of, A), stranger(of, B)], { map: B, ownStack: true }, B],
  [
    "the base comes before the own id",
    (of) => [equal(of, A), stranger(of, B)],
    { base: B, ownStack: true },
    B,
    "journal",
  ],
  ["the base counts in another case", (of) => [stranger(of, B)], { base: B.toUpperCase() }, B, "journal"],
  ["the base does not count if it is gone", (of) => [equal(of, C)], { base: B }, C, "equal-content"],
  [
    "a file's name comes after the base",
    (of) => [stranger(of, B), stranger(of, C)],
    { base: B, file: C },
    B,
    "journal",
  ],
  ["a file's name comes before content", (of) => [stranger(of, B), equal(of, C)], { file: B }, B, "file-name"],
  [
    "the same id on the same stack comes before equal content",
    (of) => [equal(of, B), edited(of, A)],
    { ownStack: true },
    A,
    "same-id",
  ],
  [
    "the same id on the same stack counts, whatever the record is",
    (of) => [stranger(of, A)],
    { ownStack: true },
    A,
    "same-id",
  ],
  [
    "the same id on another stack comes after equal content",
    (of) => [edited(of, A), equal(of, B)],
    {},
    B,
    "equal-content",
  ],
  ["the same id on another stack tells namesakes apart", (of) => [edited(of, B), edited(of, A)], {}, A, "same-id"],
  ["the same id on another stack tells equal ones apart", (of) => [equal(of, B), equal(of, A)], {}, A, "same-id"],
  ["the same id on another stack is ambiguous if nothing else is equal", (of) => [stranger(of, A)], {}, `(${A})`],
  ["equal content comes before a namesake", (of) => [edited(of, B), equal(of, C)], {}, C, "equal-content"],
  ["the natural key finds the only namesake", (of) => [stranger(of, B), edited(of, C)], {}, C, "natural-key"],
  ["the natural key is ambiguous with two namesakes", (of) => [edited(of, B), edited(of, C)], {}, `(${B}) (${C})`],
  [
    "the natural key is ambiguous with two namesakes in the archive and one on the target",
    (of) => [third(of, B)],
    {},
    `(${B})`,
    undefined,
    (of) => [equal(of, A), edited(of, hexId("a", 2))],
  ],
  ["nothing is found where nothing is alike", (of) => [stranger(of, B)], {}, "none"],
  ["an image is found by its id", (of) => [equal(of, B), edited(of, A)], { ownStack: true, others: [] }, A],
  ["an image is found by its content", (of) => [edited(of, B), equal(of, C)], { ownStack: true, others: [] }, C],
  [
    "an image is not found in the place of another record",
    (of) => [equal(of, B), equal(of, C)],
    { ownStack: true, others: [B] },
    C,
  ],
  ["an image is never found by its name", (of) => [edited(of, B)], { ownStack: true, others: [] }, "none"],
];

describe.each(KINDS)("%s are matched by one ladder", (kind) => {
  const sample = SAMPLES[kind];

  it.each(RUNGS)("%s", async (_, there, given, counterpart, rule, here = (of) => [equal(of, A)]) => {
    const found = await counterpartOf(kind, here(sample), there(sample), given);
    expect(found.counterpart).toBe(counterpart);
    const isShown = kind !== "dashboards" && kind !== "alerts";
    if (rule !== undefined && isShown) expect(found.rule).toBe(rule);
  });

  it("gives one record of the target to one record of the archive", async () => {
    const second = { ...sample.make(C), ...sample.edit };
    const found = await counterpartOf(kind, [equal(sample, A), second], [equal(sample, B)]);
    expect([found.counterpart, found.second]).toEqual([B, undefined]);
  });
});

describe.each([
  ["connections", { host: "http://elsewhere:8123" }],
  ["sources", { from: { databaseName: "elsewhere", tableName: "ours" } }],
  ["sources", { connection: FAR }],
] as const)("the place of the data separates namesakes: %s with %o", (kind, elsewhere) => {
  const sample = SAMPLES[kind];
  const far = { ...edited(sample, B), ...elsewhere };
  const near = edited(sample, C);

  it.each([
    ["a namesake elsewhere is none", [far], {}, "none", [B]],
    ["a namesake elsewhere is none though its id is equal", [{ ...far, id: A }], {}, `(${A})`, [A]],
    ["the namesake in this place is the one", [far, near], {}, C, undefined],
    ["the map file may say otherwise", [far, near], { map: B }, B, undefined],
    ["an earlier run may know otherwise", [far, near], { base: B }, B, undefined],
    ["on the same stack it has moved", [{ ...far, id: A }, near], { ownStack: true }, A, undefined],
  ] as const)("%s", async (_, there, given, counterpart, others) => {
    const found = await counterpartOf(kind, [equal(sample, A)], there, given);
    expect([found.counterpart, found.elsewhere]).toEqual([counterpart, others]);
  });
});
