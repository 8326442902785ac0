import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { UnresolvedId } from "../../core/plan/plan.ts";
import { nameSimilarity } from "../../core/text/similarity.ts";

export interface RankedCandidate {
  readonly id: string;
  readonly name: string;
  /** The likelihood, from 0 to 1. */
  readonly score: number;
  readonly reasons: readonly string[];
}

/** The known bodies of a record and its candidates. A connection may have no body, because it need not be in the archive. */
export interface ComparedBodies {
  readonly record: JsonObject | undefined;
  readonly candidate: (id: string) => JsonObject | undefined;
}

const NAME_COUNTS = 0.6;
/** A name that is at least this similar is given as a reason. */
const SIMILAR = 0.4;
const MAX_VALUE_LENGTH = 60;

/** Ranks the candidates for a record that could not be matched, the likeliest first. */
export function rankCandidates({ name, candidates }: UnresolvedId, bodies: ComparedBodies): RankedCandidate[] {
  const recordMembers = membersOf(bodies.record);
  const withMembers = candidates.map((candidate) => ({
    ...candidate,
    members: membersOf(bodies.candidate(candidate.id)),
  }));
  const distinguishing = [...recordMembers].filter(
    ([path, value]) =>
      path !== "name" && withMembers.some(({ members }) => members.has(path) && members.get(path) !== value),
  );
  return withMembers
    .map(({ id, name: candidateName, members }) => {
      const same = distinguishing.filter(([path, value]) => members.get(path) === value);
      const similarity = Math.max(nameSimilarity(name, candidateName), wordSimilarity(name, candidateName));
      const score =
        NAME_COUNTS * similarity +
        (distinguishing.length === 0 ? 0 : ((1 - NAME_COUNTS) * same.length) / distinguishing.length);
      return {
        id,
        name: candidateName,
        score,
        reasons: [
          ...nameReason(similarity, name, candidateName),
          ...same.map(([path, value]) => `the same ${path} (${value})`),
        ],
      };
    })
    .sort((a, b) => b.score - a.score);
}

/** The likeness of two names of which one has all words of the other, such as "Logs" and "Application logs". */
const ALL_WORDS = 0.7;

function wordSimilarity(left: string, right: string): number {
  const [ours, theirs] = [left, right].map((name) => new Set(name.toLowerCase().match(/[\p{L}\p{N}]+/gu)));
  if (ours === undefined || theirs === undefined || ours.size === 0 || theirs.size === 0) return 0;
  const isWithin = [...ours].every((word) => theirs.has(word)) || [...theirs].every((word) => ours.has(word));
  return isWithin ? ALL_WORDS : 0;
}

function nameReason(similarity: number, name: string, candidateName: string): string[] {
  if (name === candidateName) return ["the same name"];
  if (similarity === 1) return ["the same name apart from case or punctuation"];
  return similarity >= SIMILAR ? [`a name ${Math.round(similarity * 100)} % alike`] : [];
}

/** Returns the short texts of a body by path, without ids and times, because those differ between stacks. */
function membersOf(body: JsonObject | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  const collect = (value: JsonValue | undefined, path: string): void => {
    if (isJsonObject(value) && !isJsonArray(value)) {
      for (const [member, inner] of Object.entries(value)) collect(inner, path === "" ? member : `${path}.${member}`);
    } else if (
      typeof value === "string" &&
      value !== "" &&
      value.length <= MAX_VALUE_LENGTH &&
      !OF_ITS_STACK.test(path)
    ) {
      texts.set(path, value);
    }
  };
  collect(body, "");
  return texts;
}

/** Members whose values are specific to one stack. */
const OF_ITS_STACK = /(?:^|\.)(?:id|.*Ids?|connection|createdAt|updatedAt|url)$/;
