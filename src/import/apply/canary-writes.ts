import { byCodeUnit } from "../../core/collections.ts";
import type { PlanItem, UnverifiedId } from "../../core/plan/plan.ts";
import { codeForIdSpace, nounOf } from "../../kinds/nouns.ts";
import type { WriteResult } from "./trial-writes.ts";

/** `open`: the canary write failed for a reason unrelated to the id, so the next record becomes the canary. */
type Verdict = { readonly is: "proven" | "open" } | { readonly is: "refused"; readonly end: WriteResult };

interface CanaryWrite {
  readonly verdict: Promise<Verdict>;
  readonly end: (verdict: Verdict) => void;
}

/** Error codes for a request whose content the server refuses. */
const REFUSALS: readonly (string | undefined)[] = ["rejected", "not-found"];

/**
 * Proves ids that the target cannot list: the first record that uses such an id is written alone. If the target refuses the id, no
 * other record with this id is sent, and all these records report the same reason.
 */
export class CanaryWrites {
  readonly #canaries = new Map<string, CanaryWrite>();

  /**
   * Writes a record after the canary writes of all its unverified ids have ended. If an id has had no canary write, this write
   * becomes its canary.
   */
  async write(item: PlanItem, send: () => Promise<WriteResult>): Promise<WriteResult> {
    // Ids are claimed in a fixed order: otherwise each of two records could claim an id that the other record needs, and both would
    // wait for ever.
    const ids = [...(item.unverified ?? [])].sort((a, b) => byCodeUnit(keyOf(a), keyOf(b)));
    const canaryIds: UnverifiedId[] = [];
    for (const id of ids) {
      const verdict = await this.#awaitOrClaim(id);
      if (verdict?.is === "refused") {
        for (const other of canaryIds) this.#decideCanary(other, { is: "open" });
        return { ...verdict.end, action: "blocked" };
      }
      if (verdict === undefined) canaryIds.push(id);
    }
    const end = await send();
    return this.#judgeResult(item, canaryIds, end);
  }

  /** Waits for the verdict on an id. Returns undefined if the id has no canary write: the caller's write becomes the canary. */
  async #awaitOrClaim(id: UnverifiedId): Promise<Verdict | undefined> {
    for (;;) {
      const canary = this.#canaries.get(keyOf(id));
      if (canary === undefined) {
        this.#canaries.set(keyOf(id), newCanary());
        return undefined;
      }
      const verdict = await canary.verdict;
      if (verdict.is !== "open") return verdict;
    }
  }

  #judgeResult(item: PlanItem, canaryIds: readonly UnverifiedId[], end: WriteResult): WriteResult {
    const mentionedIds = canaryIds.filter(({ space }) => end.message?.toLowerCase().includes(nounOf(space)) === true);
    const [refused, ...others] = REFUSALS.includes(end.code) ? mentionedIds : [];
    // If a record uses two unknown ids of the same kind, the error does not tell which one was rejected.
    const isClear = refused !== undefined && others.length === 0;
    const result = isClear ? refusedResult(item, refused, end) : end;
    for (const id of canaryIds) {
      if (end.status === "done") this.#decideCanary(id, { is: "proven" });
      else this.#decideCanary(id, isClear && id === refused ? { is: "refused", end: result } : { is: "open" });
    }
    return result;
  }

  #decideCanary(id: UnverifiedId, verdict: Verdict): void {
    const canary = this.#canaries.get(keyOf(id));
    if (verdict.is === "open") this.#canaries.delete(keyOf(id));
    canary?.end(verdict);
  }
}

function refusedResult(item: PlanItem, { space, id }: UnverifiedId, { message = "" }: WriteResult): WriteResult {
  const why = `the target refused the ${nounOf(space)} id "${id}", first for "${item.name}" (${message})`;
  const next = "no other record with this id was sent; correct the id in the map file and run the same import again";
  return { status: "failed", code: codeForIdSpace("refused", space), message: `${why}; ${next}` };
}

function newCanary(): CanaryWrite {
  let end: CanaryWrite["end"] = () => {};
  const verdict = new Promise<Verdict>((resolve) => {
    end = resolve;
  });
  return { verdict, end };
}

function keyOf({ space, id }: UnverifiedId): string {
  return `${space} ${id}`;
}
