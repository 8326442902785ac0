import type { JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import { withValueAt } from "../../core/records/member-path.ts";
import type { Variant } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { unpublishedPlaces, isVital } from "../../kinds/members/dispensable-members.ts";
import type { ReducedBody, UnknownMembers } from "../unknown-members.ts";
import { isRefusal, lossesOf, namesNothing, unknownIn } from "../unknown-members.ts";

/**
 * Maximum number of times that a record is sent, each time without the members that the last refusal named. A refusal may name
 * only the first of many.
 */
const MAX_SENDS = 20;

export interface KnownSending<Stored> {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly variant: Variant;
  readonly unknown: UnknownMembers;
  readonly send: (body: JsonObject) => Promise<Stored>;
  /** Tells whether the target already has this content, so that nothing need be sent. Called only if members were left out. */
  readonly isThere?: (body: JsonObject) => boolean;
}

/** The body that was finally sent, and the answer; no answer if the target already had this content. */
export interface SentBody<Stored> {
  readonly sent: JsonObject;
  readonly stored: Stored | undefined;
  readonly warnings: readonly Warning[];
}

/**
 * Sends a record whole. Members that the stack refuses by name are left out and named in a warning, and the record is sent again,
 * since a refused write was certainly not carried out. If a refusal names no member, the record is sent once more without the
 * members that no published description has.
 */
export async function sendAcceptedMembers<Stored>(
  body: JsonObject,
  sending: KnownSending<Stored>,
): Promise<SentBody<Stored>> {
  const { kind, name, variant, unknown, send, isThere } = sending;
  const resultOf = ({ body: sent, lost }: ReducedBody, stored: Stored | undefined): SentBody<Stored> => {
    return { sent, stored, warnings: lossesOf(kind, name, body, lost) };
  };
  for (let sends = 1; ; sends += 1) {
    const reduced = unknown.withoutUnknown(kind, body);
    if (reduced.lost.length > 0 && isThere?.(reduced.body) === true) return resultOf(reduced, undefined);
    try {
      return resultOf(reduced, await send(reduced.body));
    } catch (error) {
      if (!isRefusal(error) || sends >= MAX_SENDS) throw error;
      if (unknown.learnUnknown(kind, reduced.body, unknownIn(error.message))) continue;
      const guess = namesNothing(error.message, reduced.body) ? unpublishedMembers(kind, variant, reduced.body) : [];
      if (guess.length === 0) throw error;
      try {
        const without = withoutPlaces(reduced, guess);
        const stored = await send(without.body);
        unknown.learnUnknown(kind, reduced.body, guess);
        return resultOf(without, stored);
      } catch (second) {
        // The first refusal is about the whole record, so it tells more than a failure of the reduced one.
        throw isRefusal(second) ? error : second;
      }
    }
  }
}

function unpublishedMembers(kind: ResourceKind, variant: Variant, body: JsonObject): readonly (readonly string[])[] {
  return unpublishedPlaces(kind.name, variant, body).filter((tokens) => !isVital(kind, body, tokens));
}

function withoutPlaces({ body, lost }: ReducedBody, places: readonly (readonly string[])[]): ReducedBody {
  return {
    body: places.reduce((copy, tokens) => withValueAt(copy, tokens, undefined), body),
    lost: [...lost, ...places],
  };
}
