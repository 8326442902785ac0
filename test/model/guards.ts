// The model: the guards. A guard takes a decision back that the server would refuse, or that would break other records.
import { decide } from "./compare.ts";
import type { Decision, Scene } from "./plan.ts";
import { has, linksOf, usersOf, type Id, type ModelRecord, type Parts, type Stack } from "./stack.ts";

/** The guards, each for all decisions, until none blocks another one. What a merge does not take needs no links. */
export function guard(plan: readonly Decision[], scene: Scene): Decision[] {
  const next = plan.map((decision) =>
    needLinks(keepUsedRecords(keepWatchedTiles(decision, plan, scene), plan, scene), plan, scene),
  );
  return next.every((decision, at) => decision === plan[at]) ? next : guard(next, scene);
}

/** What a write links to must be there. An alert on a tile that somebody removed is left out. */
function needLinks(
  decision: Decision,
  plan: readonly Decision[],
  { archive, memories, target, matches, options }: Scene,
): Decision {
  const { key, verdict, taken, children, targetId } = decision;
  const source = archive.records.find(({ id }) => id === key);
  if (source === undefined || !isWrite(decision)) return decision;
  // A write of a whole record leaves out what is dead at the source, too.
  const isInArchive = (link: Id): boolean => archive.records.some(({ id, parts }) => id === link || parts.has(link));
  const isWhole = options.policy !== "merge" && options.tile === undefined;
  const isLeftOut = (id: Id): boolean =>
    isWhole && linksOf(source.parts).some((link) => !isInArchive(link) && (matches.ids.get(link) ?? link) === id);
  // The server refuses a write that carries a dead link, even in a part that stays as it is.
  const kept = [...bodyOf(decision, target)].filter(([part]) => !taken.has(part));
  if (linksOf(new Map(kept)).some((id) => !has(target, id) && !isLeftOut(id)))
    return { ...decision, verdict: "dead-link", taken: new Set() };
  const sent = [...source.parts].filter(
    ([part]) => verdict === "create" || isWhole || taken.has(children.get(part) ?? part),
  );
  for (const link of linksOf(new Map(sent))) {
    const linked = archive.records.find(({ id, parts }) => id === link || parts.has(link));
    // A link that is dead at the source is left out. No alert lacks what it watches.
    if (linked === undefined && source.kind === "alert" && !has(target, matches.ids.get(link) ?? link))
      return { ...decision, verdict: "missing", taken: new Set() };
    if (linked === undefined || linked.id === key) continue;
    const owner = plan.find((each) => each.key === linked.id);
    const present = owner?.targetId === undefined ? matches.pairs.get(linked.id)?.parts : bodyOf(owner, target);
    const part = owner?.children.get(link) ?? link;
    if (owner?.verdict === "create" || (present !== undefined && (link === linked.id || present.has(part)))) continue;
    const memory = memories.get(linked.id);
    // Under `overwrite`, such a tile comes back, unless its dashboard is blocked.
    const wasRemoved =
      options.policy !== "overwrite" &&
      link !== linked.id &&
      present !== undefined &&
      memory?.targetId === matches.pairs.get(linked.id)?.id &&
      memory?.bases.has(part) === true;
    return { ...decision, verdict: wasRemoved && targetId === undefined ? "edited" : "missing", taken: new Set() };
  }
  return decision;
}

const isGoing = (id: Id, plan: readonly Decision[]): boolean =>
  plan.some(({ verdict, targetId }) => verdict === "delete" && targetId === id);

/** A record that a record which stays links to is not deleted. */
function keepUsedRecords(decision: Decision, plan: readonly Decision[], { target }: Scene): Decision {
  const { verdict, targetId = "" } = decision;
  if (verdict !== "delete") return decision;
  const isUser = (user: ModelRecord): boolean => {
    const own = plan.find((each) => each.targetId === user.id);
    return own?.verdict !== "delete" && linksOf(own ? bodyOf(own, target) : user.parts).includes(targetId);
  };
  return usersOf(target, targetId).some(isUser) ? { ...decision, verdict: "in-use" } : decision;
}

/** An update takes no tile away that an alert watches. */
function keepWatchedTiles(decision: Decision, plan: readonly Decision[], { target, options }: Scene): Decision {
  const { changes, taken } = decision;
  const watched = changes.filter(
    ({ part, desired }) =>
      taken.has(part) && desired === undefined && usersOf(target, part).some((user) => !isGoing(user.id, plan)),
  );
  if (watched.length === 0) return decision;
  const blocked = { ...decision, verdict: "would-delete-alerts", taken: new Set<string>() } as const;
  if (options.policy !== "merge") return blocked;
  const left = new Set([...taken].filter((part) => !watched.some((each) => each.part === part)));
  if (left.size > 0) return { ...decision, taken: left };
  // A merge that takes nothing else keeps the record.
  const kept = decide(changes, "keep");
  return kept.verdict === "update" ? blocked : { ...decision, ...kept };
}

const isWrite = ({ verdict }: Decision): boolean => verdict === "create" || verdict === "update";

/** Returns the parts that the target's record will have: its own, but for those that are taken. */
export function bodyOf(
  { targetId = "", changes, taken }: Pick<Decision, "targetId" | "changes" | "taken">,
  { records }: Stack,
): Parts {
  const body = new Map(records.get(targetId)?.parts);
  for (const { part, desired } of changes) {
    if (taken.has(part) && desired === undefined) body.delete(part);
    else if (taken.has(part) && desired !== undefined) body.set(part, desired);
  }
  return body;
}
