import { seededRandom, type SeededRandom } from "../support/seeded-random.ts";
import type { Policy } from "./compare.ts";
import { isTile, type Id, type ModelRecord, type Parts, type Stack } from "./stack.ts";

// What happens to two stacks in a sequence. Numbers choose among what is there at that time, so a sequence stays one if operations
// are taken out of it.

export type Side = "a" | "b";

/** A change by a person, on one side. */
export interface Edit {
  readonly is: "edit";
  readonly side: Side;
  readonly what:
    | "add-dashboard"
    | "copy"
    | "rename"
    | "tag"
    | "add-tile"
    | "change-tile"
    | "rename-tile"
    | "remove-tile"
    | "link"
    | "mention"
    | "add-alert"
    | "change-alert"
    | "delete"
    | "delete-alert";
  readonly at: number;
  readonly tile: number;
  readonly value: number;
}

/** What goes wrong in a run: it is killed before or after a write, the answer of a write is lost, or lists lag at its beginning. */
export interface Fault {
  readonly is: "kill-before" | "kill-after" | "lost" | "lag";
  /** The number of the write, counted from 1. */
  readonly at: number;
}

/** An import from `a` to `b`, of an older archive of `a`, or of an archive of `b` itself; or an import from `b` back to `a`. */
export interface Import {
  readonly is: "import";
  readonly policy: Policy;
  readonly mirror: boolean;
  /** Chooses one tile of the source; undefined for a whole import. */
  readonly tile: number | undefined;
  /** Chooses one dashboard of the source, with the alerts on it; undefined for a whole import. */
  readonly only?: number | undefined;
  /** Of the source as it is now, or of an archive made earlier: of the source or of the target itself. */
  readonly archive: "now" | "older" | "own" | "back";
  readonly which: number;
  /** Whether the import makes copies under a prefix; not of an archive of the target itself. */
  readonly copies?: boolean | undefined;
  readonly fault?: Fault | undefined;
}

export interface Rollback {
  readonly is: "rollback";
  /** The stack to which the run wrote; `b` by default. */
  readonly on?: Side | undefined;
  readonly force: boolean;
  /** Which run: 0 for the last import, else that many runs before the last one, rollbacks included. */
  readonly back: number;
  readonly fault?: Fault | undefined;
}

/** Makes an archive of each side. */
export interface Backup {
  readonly is: "backup";
}

export type Operation = Edit | Import | Rollback | Backup;

/** The changes of people. One that stands here more often is made more often. */
const EDITS: readonly Edit["what"][] = [
  "add-dashboard",
  "add-dashboard",
  "add-tile",
  "add-tile",
  "change-tile",
  "change-tile",
  "change-tile",
  "change-tile",
  "copy",
  "rename",
  "tag",
  "rename-tile",
  "remove-tile",
  "link",
  "mention",
  "add-alert",
  "change-alert",
  "delete",
  "delete-alert",
];

/** The first changes of the source. */
const BEGIN: readonly Edit["what"][] = ["add-dashboard", "add-dashboard", "add-dashboard"];
const THEN: readonly Edit["what"][] = ["add-tile", "add-alert", "link", "copy"];

/** What imports read. One that stands here more often is read more often. */
export const ARCHIVES = ["now", "now", "now", "older", "own", "back"] as const;

/** What the imports of some sequences read: those of a team that restores its own stack again and again. */
const RESTORES: readonly Import["archive"][] = ["own", "own", "own", "now", "older"];

/** Returns the sequence that a seed decides. @param archives what its imports read */
export function sequenceOf(seed: number, archives: readonly Import["archive"][], most = 40): Operation[] {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1));
  const begin = [...BEGIN, ...THEN.filter(() => random.chance(0.6))].map((what) => ({ ...anEdit(random, "a"), what }));
  const restores = archives.includes("own") && random.chance(0.25);
  const next = (): Operation => (restores ? anOperation(random, RESTORES, 6) : anOperation(random, archives, 1));
  return [...begin, ...Array.from({ length: random.between(6, most - 4) }, next)];
}

/** @param backups how often a backup is made, in 19 other operations */
function anOperation(random: SeededRandom, archives: readonly Import["archive"][], backups: number): Operation {
  const sort = random.below(19 + backups);
  if (sort < 11) return anEdit(random, random.chance(0.6) ? "a" : "b");
  if (sort < 17) {
    const policy = random.pick<Policy>(["keep", "keep", "merge", "merge", "overwrite", "fail"]);
    const tile = random.chance(0.1) ? random.below(8) : undefined;
    return {
      is: "import",
      policy,
      mirror: random.chance(0.3),
      tile,
      archive: random.pick(archives),
      which: random.below(4),
      copies: tile === undefined && random.chance(0.12),
      only: tile === undefined && random.chance(0.12) ? random.below(6) : undefined,
    };
  }
  if (sort < 19) {
    const [force, back] = [random.chance(0.2), random.pick([0, 0, 0, 1, 2])];
    return { is: "rollback", on: random.chance(0.15) ? "a" : "b", force, back };
  }
  return { is: "backup" };
}

function anEdit(random: SeededRandom, side: Side): Edit {
  return {
    is: "edit",
    side,
    what: random.pick(EDITS),
    at: random.below(6),
    tile: random.below(4),
    value: random.below(9),
  };
}

/** Says an operation in one line of a script. */
export function say(operation: Operation): string {
  if (operation.is === "backup") return "back up both sides";
  if (operation.is === "rollback")
    return `on ${operation.on ?? "b"}: roll back${operation.force ? " by force" : ""} ${operation.back} runs before the last${operation.fault ? ` ${sayFault(operation.fault)}` : ""}`;
  if (operation.is === "edit")
    return `on ${operation.side}: ${operation.what} at ${operation.at} tile ${operation.tile} value ${operation.value}`;
  const { policy, mirror, tile, archive, which, copies, only, fault } = operation;
  const options = [
    archive === "now" ? "" : String(which),
    mirror ? "mirror" : "",
    copies ? "copies" : "",
    only === undefined ? "" : `only ${only}`,
    tile === undefined ? "" : `tile ${tile}`,
    sayFault(fault),
  ];
  return ["import", archive, policy, ...options.filter((option) => option !== "")].join(" ");
}

const sayFault = (fault: Fault | undefined): string => (fault === undefined ? "" : `(${fault.is} ${fault.at})`);

/** Adds faults to some runs of a sequence. */
export function withFaults(operations: readonly Operation[], seed: number): Operation[] {
  const random = seededRandom(seed);
  return operations.map((operation) => {
    const is = random.pick<Fault["is"]>(["kill-before", "kill-after", "kill-after", "lost", "lag"]);
    const fault = { is, at: random.between(1, 4) };
    return (operation.is === "import" || operation.is === "rollback") && random.chance(0.4)
      ? { ...operation, fault }
      : operation;
  });
}

/** Takes operations out of a failing sequence, as long as it fails without them. */
export async function shrink(
  operations: readonly Operation[],
  fails: (operations: readonly Operation[]) => Promise<boolean> | boolean,
): Promise<readonly Operation[]> {
  let left = operations;
  for (let size = Math.ceil(left.length / 2); size >= 1;) {
    const before = left.length;
    for (let at = left.length - size; at >= 0; at -= size) {
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (await fails(fewer)) left = fewer;
    }
    // A pair may be needless where each of both is needed for the other.
    if (left.length === before || size > 1) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return left;
}

/** Where a person's changes arrive: on the model's stack, and on the stack that must agree with it. */
export interface Hands {
  put(record: ModelRecord): void;
  remove(id: Id): void;
}

const NAMES = ["Board", "Board", "board", " Board", "Other board ", "Third"];
const TILES = ["CPU", "Errors", "cpu", "Errors"];

/** Makes a person's change. Does nothing if there is nothing to change. A person stores any text, in any form. */
export function makeEdit(stack: Stack, { what, at, tile, value }: Edit, hands: Hands): void {
  const of = (kind: ModelRecord["kind"]): ModelRecord[] =>
    [...stack.records.values()].filter((record) => record.kind === kind);
  const [dashboard, alert] = [pick(of("dashboard"), at), pick(of("alert"), at)];
  const mint = (): Id => `${stack.letter}${(stack.lastNumber += 1)}`;
  const add = (kind: ModelRecord["kind"], parts: Parts): void => hands.put({ id: mint(), kind, parts });
  if (what === "add-dashboard")
    add(
      "dashboard",
      new Map([
        ["name", pick(NAMES, value) ?? ""],
        [mint(), `${pick(TILES, tile)}: v${value}`],
      ]),
    );
  if (what === "change-alert" && alert !== undefined) hands.put(withPart(alert, "threshold", `above ${value}`));
  if (what === "delete-alert" && alert !== undefined) hands.remove(alert.id);
  if (dashboard === undefined) return;
  const part = pick([...dashboard.parts.keys()].filter(isTile), tile);
  const text = dashboard.parts.get(part ?? "") ?? "";
  const other = pick(of("dashboard"), value)?.id;
  if (what === "copy")
    add("dashboard", new Map([...dashboard.parts].map(([id, each]) => [isTile(id) ? mint() : id, each])));
  if (what === "rename") hands.put(withPart(dashboard, "name", pick(NAMES, value) ?? ""));
  if (what === "tag") hands.put(withPart(dashboard, "tags", `t${value}`));
  if (what === "add-tile") hands.put(withPart(dashboard, mint(), `${pick(TILES, tile)}: v${value}`));
  if (what === "delete" && !isLinked(stack, dashboard)) hands.remove(dashboard.id);
  if (part === undefined) return;
  const put = (id: string, changed: string): void => hands.put(withPart(dashboard, id, changed));
  const [name, link, mention] = [text.split(":")[0], `link @${other}`, `see #${other}`];
  if (what === "change-tile")
    put(part, `${name}: ${/: link/.test(text) ? link : /: see/.test(text) ? mention : `v${value}`}`);
  if (what === "rename-tile") put(part, text.replace(/^[^:]*/, pick(TILES, value) ?? ""));
  if (what === "remove-tile")
    hands.put({ ...dashboard, parts: new Map([...dashboard.parts].filter(([id]) => id !== part)) });
  if (what === "link") put(mint(), `${name}: ${link}`);
  if (what === "mention") put(mint(), `${name}: ${mention}`);
  if (what === "add-alert" && /: v/.test(text))
    add(
      "alert",
      new Map([
        ["name", `Alert ${value % 3} on @${dashboard.id} @${part}`],
        ["threshold", `above ${value}`],
      ]),
    );
}

/** A record that others link to is not deleted at the source, because a server refuses dead links in a later write. */
function isLinked({ records, letter }: Stack, { id }: ModelRecord): boolean {
  return (
    letter === "a" &&
    [...records.values()].some(
      (user) =>
        user.id !== id && user.kind === "dashboard" && [...user.parts.values()].some((text) => text.endsWith(`@${id}`)),
    )
  );
}

function withPart(record: ModelRecord, part: string, text: string): ModelRecord {
  return { ...record, parts: new Map([...record.parts, [part, text]]) };
}

function pick<Item>(items: readonly Item[], number: number): Item | undefined {
  return items[number % Math.max(1, items.length)];
}
