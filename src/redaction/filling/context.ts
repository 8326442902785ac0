import { createHash } from "node:crypto";
import { byCodeUnit } from "../../core/collections.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { compactJson, isJsonArray, isJsonObject } from "../../core/json.ts";
import { valueAtTokens, withoutPath } from "../../core/records/member-path.ts";
import type { NeededPath, ResourceKind } from "../../core/resource-kind.ts";

/** So many hex digits that nobody can make another text of the same digest. */
const DIGITS = 24;

/** No host's name is longer, so a longer text without a scheme is no address. */
const MAX_HOST_LENGTH = 253;

/** An address, be it without a scheme: what stands beside it may be sent there. */
export function isAddress(text: string): boolean {
  if (/:\/\/|^\/\//.test(text)) return true;
  return text.length <= MAX_HOST_LENGTH && /^[^\s/]+\.\S+$|^[^\s/:]+:\d/.test(text);
}

/**
 * What a value for a text with placeholders is bound to: the text with its placeholders, and the addresses beside it. A digest of what the archive says, so it holds nothing of the secret.
 */
export function placeContext(kind: ResourceKind, body: JsonObject, tokens: readonly string[]): string {
  const own = ownMembers(kind, body);
  return digest(["text", valueAtTokens(own, tokens) ?? null, ...addressesBeside(own, tokens)]);
}

/** The same for a member that no stack shows: it goes where the other members of the record say. */
export function neededContext(kind: ResourceKind, body: JsonObject, { path, rule }: NeededPath): string {
  const others = Object.entries(ownMembers(kind, body)).filter(([, value]) => typeof value !== "object");
  return digest(["needed", path, rule, Object.fromEntries(others)]);
}

/** A body without what the server changes with every write. */
export function ownMembers({ serverOwned }: ResourceKind, body: JsonObject): JsonObject {
  return serverOwned.reduce(withoutPath, body);
}

/**
 * The addresses beside a text: in the item of a list that it is in (a tile), and what is in no list. A change of
 * other tiles is of no account.
 */
function addressesBeside(body: JsonObject, tokens: readonly string[]): string[] {
  const found: string[] = [];
  /** @param rest the way that is left to the text itself, undefined beside it */
  const look = (value: JsonValue, at: string, rest: readonly string[] | undefined, inItem: boolean): void => {
    const [next, ...further] = rest ?? [];
    if (typeof value === "string") {
      if ((rest === undefined || next !== undefined) && isAddress(value)) found.push(`${at} ${value}`);
    } else if (isJsonArray(value) && !inItem) {
      const item = next === undefined ? undefined : value[Number(next)];
      if (item !== undefined) look(item, `${at}/${next}`, further, true);
    } else if (isJsonObject(value) || isJsonArray(value)) {
      for (const [member, inner] of Object.entries(value)) {
        if (inner !== undefined) look(inner, `${at}/${member}`, member === next ? further : undefined, inItem);
      }
    }
  };
  look(body, "", tokens, false);
  return found.sort(byCodeUnit);
}

function digest(value: JsonValue): string {
  return createHash("sha256").update(compactJson(value)).digest("hex").slice(0, DIGITS);
}
