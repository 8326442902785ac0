// The model: an import. It matches, compares, decides, guards, writes.
import { areEqual, compare, decide, settle, type PartChange } from "./compare.ts";
import { fold, openIntents, withOtherDirection, type Intent, type Journal, type Line, type Memory } from "./journal.ts";
import { bodyOf, guard } from "./guards.ts";
import { matchRecords, matchTiles, translateParts } from "./match.ts";
import { isBlocked, isRefused, requestedOf, type Decision, type Options, type Scene } from "./plan.ts";
import { beginRun, withoutOpenIntents, type Disturb, type Run } from "./run.ts";
import {
  differOnlyInDeadIds,
  PENDING,
  has,
  translate,
  withoutDeadLinks,
  withoutLinks,
  type Archive,
  type Id,
  type ModelRecord,
  type Parts,
  type Stack,
} from "./stack.ts";

/** Returns what an import would do, and changes nothing. */
export function planImport(archive: Archive, target: Stack, journal: readonly Line[], options: Options): Decision[] {
  return decideAll(sceneOf(archive, target, journal, options));
}

/** Carries out an import, and returns what it did. A dry run before it would have said the same. */
export function runImport(
  archive: Archive,
  target: Stack,
  journal: Journal,
  options: Options,
  disturb: Disturb = () => {},
): Decision[] {
  const scene = sceneOf(archive, target, journal, options);
  const plan = decideAll(scene);
  if (isRefused(plan)) return plan;
  const run = beginRun(journal, target, undefined, disturb);
  writeAll(plan, scene, run, { keyOf: (key) => key, keep: (_, memory) => memory });
  for (const decision of plan) seeEqualParts(run, decision, scene);
  run.end();
  return plan;
}

function sceneOf(archive: Archive, target: Stack, journal: readonly Line[], options: Options): Scene {
  const lines = withoutOpenIntents(journal, target);
  const memories = withOtherDirection(fold(lines), fold(options.reverse ?? []));
  const unknown = new Set(openIntents(lines).map(({ key }) => key));
  return {
    archive,
    target,
    options,
    memories,
    unknown,
    matches: matchRecords(archive, target, memories, options),
  };
}

/** Decides on every record. A record that cannot be created is no longer linked to, so all are decided again without it. */
export function decideAll(scene: Scene, uncreated: ReadonlySet<Id> = new Set()): Decision[] {
  const { archive, options } = scene;
  const decided = requestedOf(archive, options).map((record) => decideRecord(record, scene, uncreated));
  const removals = options.mirror === true ? decideRemovals(scene, decided) : [];
  const plan = guard([...decided, ...removals], scene);
  const failed = plan
    .filter((decision) => isBlocked(decision) && decision.targetId === undefined)
    .map(({ key }) => key);
  return failed.every((key) => uncreated.has(key)) ? plan : decideAll(scene, new Set(failed));
}

function decideRecord(
  record: ModelRecord,
  { archive, target, options, memories, matches, unknown }: Scene,
  uncreated: ReadonlySet<Id>,
): Decision {
  const { id: key, kind } = record;
  const counterpart = matches.pairs.get(key);
  const isOwn = archive.letter === target.letter;
  // A record that will be created has an id that the target does not have yet.
  const pending = new Map(
    requestedOf(archive, options).flatMap(({ id }) =>
      matches.pairs.has(id) || matches.ambiguous.has(id) || uncreated.has(id)
        ? []
        : [[id, PENDING + id.slice(1)] as const],
    ),
  );
  const parts = withoutLinksDeadAtSource(record, archive, (link) => has(target, matches.ids.get(link) ?? link));
  const translated = translateParts(parts, new Map([...matches.ids, ...pending]));
  const nothing = { key, kind, targetId: undefined, changes: [], taken: new Set<string>(), children: new Map() };
  if (counterpart === undefined) {
    if (unknown.has(key)) return { ...nothing, verdict: "create-unknown" };
    if (matches.ambiguous.has(key)) return { ...nothing, verdict: "ambiguous" };
    return { ...nothing, verdict: options.tile?.of === key ? "no-dashboard" : "create" };
  }
  const memory = memories.get(key)?.targetId === counterpart.id ? memories.get(key) : undefined;
  const children = matchTiles(translated, counterpart, memory, { isOwn, chosen: options.tile?.part });
  const desired = new Map([...translated].map(([from, text]) => [children.get(from) ?? from, text]));
  const isDead = (text: string, stored: string): boolean => differOnlyInDeadIds(text, stored, target);
  const changes = compare({
    desired,
    target: counterpart.parts,
    memory,
    at: archive.at,
    isOwn,
    differOnlyInDeadIds: isDead,
  });
  const chosen = options.tile && (children.get(options.tile.part) ?? options.tile.part);
  const decided = decide(changes, options.policy, chosen);
  // An alert on the chosen tile that is there stays as it is.
  const isKept =
    options.tile !== undefined && options.tile.of !== key && changes.some(({ change }) => change !== "same");
  return { ...nothing, ...decided, ...(isKept && { verdict: "exists" }), targetId: counterpart.id, changes, children };
}

/** Takes out of a dashboard the links to what neither the source nor the target has: an import leaves them out. */
function withoutLinksDeadAtSource(
  { kind, parts }: ModelRecord,
  { records }: Archive,
  isOnTarget: (link: Id) => boolean,
): Parts {
  if (kind === "alert") return parts;
  const isDead = (link: Id): boolean =>
    !records.some((record) => record.id === link || record.parts.has(link)) && !isOnTarget(link);
  return new Map([...parts].map(([part, text]) => [part, withoutLinks(text, isDead)]));
}

/** Decides on the records that are ours, and that the source no longer has. */
function decideRemovals(
  { archive, target, memories, matches, options }: Scene,
  decided: readonly Decision[],
): Decision[] {
  const newest = Math.max(0, ...[...memories.values()].map(({ at }) => at));
  if (archive.at < newest) return [];
  const wanted = new Set([...matches.ambiguous.values()].flat().map(({ id }) => id));
  const gone = [...memories].filter(([key]) => !archive.records.some(({ id }) => id === key));
  return gone.flatMap(([key, { targetId, isOurs, bases }]): Decision[] => {
    const present = target.records.get(targetId);
    // What could be the counterpart of a record that nothing tells apart stays.
    if (
      present === undefined ||
      !isOurs ||
      wanted.has(targetId) ||
      decided.some((decision) => decision.targetId === targetId)
    )
      return [];
    const isEdited = [...new Set([...present.parts.keys(), ...bases.keys()])].some(
      (part) => !areEqual(present.parts.get(part), bases.get(part)?.stored),
    );
    const verdict = isEdited && options.policy !== "overwrite" ? "gone-edited" : "delete";
    return [{ key, kind: present.kind, verdict, targetId, changes: [], taken: new Set(), children: new Map() }];
  });
}

/** How a run's writes enter the journal: under which key, and what is remembered. */
export interface Keeping {
  readonly keyOf: (key: Id) => Id;
  readonly keep: (key: Id, memory: Memory | undefined, stored: ModelRecord | undefined) => Memory | undefined;
}

/** Carries out a plan: what must go first, what others link to, the links, the alerts, what must go last. */
export function writeAll(plan: readonly Decision[], scene: Scene, run: Run, keeping: Keeping): void {
  const { archive, target } = scene;
  // What is known of a record that is created now is about another counterpart.
  const creates = new Set(plan.flatMap(({ key, verdict }) => (verdict === "create" ? [key] : [])));
  const memories = new Map([...scene.memories].filter(([key]) => !creates.has(key)));
  const write = (
    { key, kind }: Decision,
    targetId: Id | undefined,
    does: Intent["does"],
    sent: Parts,
    remember: (stored: ModelRecord) => Memory,
  ): void => {
    const rememberBoth: Intent["remember"] = (stored) => {
      const memory = stored === undefined ? memories.get(key) : remember(stored);
      if (memory !== undefined) memories.set(key, memory);
      return keeping.keep(key, memory, stored);
    };
    run.write({ key: keeping.keyOf(key), kind, does, sent, remember: rememberBoth }, targetId);
  };
  const put = (decision: Decision): void => {
    const source = archive.records.find(({ id }) => id === decision.key);
    if (source === undefined) return;
    const { changes, children, targetId } = changesNow(decision, source, memories, scene);
    const taken =
      decision.targetId === undefined
        ? new Set(changes.filter(({ change }) => change === "here").map(({ part }) => part))
        : decision.taken;
    if (taken.size === 0) return;
    const carried = bodyOf({ targetId, changes, taken }, target);
    const body = new Map([...carried].map(([part, text]) => [part, withoutDeadLinks(text, target)]));
    const memory = memories.get(decision.key);
    const base = memory?.targetId === targetId ? memory : undefined;
    write(decision, targetId, targetId === undefined ? "create" : "update", body, (stored) =>
      settled({ source, changes, taken, children, body, base, at: archive.at }, stored),
    );
  };
  const remove = (decision: Decision): void =>
    write(decision, decision.targetId, "delete", new Map(), () => {
      throw new Error("still there");
    });
  const each = (verdict: Decision["verdict"], kind: ModelRecord["kind"], act: (decision: Decision) => void): void =>
    plan.filter((decision) => decision.verdict === verdict && decision.kind === kind).forEach(act);
  each("delete", "alert", remove);
  each("create", "dashboard", put);
  // A record has its id only now, so a second write sets the links to it.
  each("create", "dashboard", put);
  each("update", "dashboard", put);
  each("create", "alert", put);
  each("update", "alert", put);
  each("delete", "dashboard", remove);
}

/** Translates a record again: the run has created others since the plan. A record that it has created itself may lack links. */
function changesNow(
  { key, targetId: planned, changes, children: matched }: Decision,
  source: ModelRecord,
  memories: ReadonlyMap<Id, Memory>,
  { target, matches, memories: before }: Scene,
): Pick<Decision, "changes" | "children" | "targetId"> {
  const present = [...memories].filter(([, { targetId }]) => target.records.has(targetId));
  const written = present.filter(([id, memory]) => before.get(id) !== memory);
  const ids = new Map([
    ...matches.ids,
    ...written.flatMap(([id, memory]) => [[id, memory.targetId] as const, ...memory.children]),
  ]);
  const memory = present.find(([id]) => id === key)?.[1];
  const children = planned === undefined && memory !== undefined ? memory.children : matched;
  const sendable = (text: string): string => withoutDeadLinks(translate(text, ids), target);
  const desired = new Map([...source.parts].map(([part, text]) => [children.get(part) ?? part, sendable(text)]));
  if (planned !== undefined)
    return {
      targetId: planned,
      children,
      changes: changes.map((each) => ({ ...each, desired: desired.get(each.part) })),
    };
  const created = [...desired].map(([part, text]): PartChange => {
    const base = memory?.bases.get(part);
    return { part, desired: text, stored: base?.stored, base, change: areEqual(text, base?.desired) ? "same" : "here" };
  });
  return { targetId: memory?.targetId, children, changes: created };
}

interface Put extends Pick<Decision, "changes" | "taken" | "children"> {
  readonly source: ModelRecord;
  readonly body: Parts;
  readonly base: Memory | undefined;
  readonly at: number;
}

/** Returns what is known of a record after a write. A part that was kept keeps its base, although the write carried it. */
function settled({ source, changes, taken, children, body, base, at }: Put, stored: ModelRecord): Memory {
  const [sent, answered] = [[...body.keys()], [...stored.parts.keys()]];
  const idNow = (part: string): string => answered[sent.indexOf(part)] ?? part;
  const isSettled = ({ part, change }: PartChange): boolean => taken.has(part) || change === "same";
  const bases = settle(
    changes.map((each) => ({ ...each, part: idNow(each.part), isSettled: isSettled(each) })),
    stored.parts,
    at,
    true,
  );
  const own = [...source.parts.keys()].map((part) => [part, idNow(children.get(part) ?? part)] as const);
  const isKnown = (part: string): boolean => bases.has(part) || stored.parts.has(part);
  return {
    targetId: stored.id,
    children: new Map([...(base?.isReverse ? [] : (base?.children ?? [])), ...own].filter(([, to]) => isKnown(to))),
    bases,
    isWhole: changes.every(isSettled) || base?.isWhole === true,
    at: Math.max(at, base?.at ?? 0),
    isOurs: true,
  };
}

/** Notes the parts of a record that are equal on both sides, where the base lacks that. */
function seeEqualParts(
  run: Run,
  { key, verdict, targetId, changes, children }: Decision,
  { archive, target, memories }: Scene,
): void {
  const memory = memories.get(key)?.targetId === targetId ? memories.get(key) : undefined;
  if (targetId === undefined || verdict === "update" || verdict === "create") return;
  const isNews = ({ desired, stored, base }: PartChange): boolean =>
    areEqual(desired, stored) && !(areEqual(base?.desired, desired) && areEqual(base?.stored, stored));
  const isWhole = memory?.isWhole !== true && changes.every(({ change }) => change === "same");
  if (!isWhole && !changes.some(isNews)) return;
  const bases = settle(
    changes.map((each) => ({ ...each, isSettled: isNews(each) })),
    target.records.get(targetId)?.parts ?? new Map(),
    archive.at,
    false,
  );
  const stored = target.records.get(targetId)?.parts ?? new Map<string, string>();
  const source = archive.records.find(({ id }) => id === key);
  const isOwn = (part: string): boolean => memory?.isReverse !== true || source?.parts.has(part) === true;
  const known = new Map([...children].filter(([from, to]) => isOwn(from) && (bases.has(to) || stored.has(to))));
  run.note({
    is: "seen",
    key,
    memory: {
      targetId,
      children: known,
      bases,
      isWhole: isWhole || memory?.isWhole === true,
      at: Math.max(archive.at, memory?.at ?? 0),
      isOurs: memory?.isOurs ?? false,
    },
  });
}
