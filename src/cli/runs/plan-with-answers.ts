import { StackferryError } from "../../domain/errors.ts";
import type { ManualMapping, Plan } from "../../domain/plan.ts";
import type { StackRecord } from "../../domain/record.ts";
import type { Inventory } from "../../jobs/inventory.ts";
import type { ImportRequest } from "../commands/import-flags.ts";
import { canAsk } from "../confirm.ts";
import { mapInteractively } from "../mapping/map-interactively.ts";
import type { Answered } from "../mapping/map-interactively.ts";
import type { Session } from "../session.ts";
import { writeMapDraft } from "./load-mapping.ts";

/** Where the answers go, unless `--write-map` names another file. */
const MAP_FILE = "map.yaml";

/** A plan that can be made again with another mapping. */
export interface PlanInput {
  readonly planWith: (mapping: ManualMapping) => Plan;
  readonly mapping: ManualMapping;
  readonly records: readonly StackRecord[];
  readonly inventory: Inventory;
}

/** @throws StackferryError `usage` where `--map-interactively` has nobody to ask */
export function refuseToAskNobody({ mapInteractively: wanted }: ImportRequest, session: Session): void {
  if (!wanted || canAsk(session)) return;
  const hint = "--write-map drafts a map file, and --map uses it";
  throw new StackferryError("usage", "--map-interactively needs a terminal", { hint });
}

/** Plans; with `--map-interactively` asks about what could not be matched, and keeps the answers in a map file. */
export async function planWithAnswers(input: PlanInput, request: ImportRequest, session: Session): Promise<Answered> {
  const { planWith, mapping, records, inventory } = input;
  const first = planWith(mapping);
  if (!request.mapInteractively || first.unresolved.length === 0) {
    if (request.writeMap !== undefined) await writeMapDraft(request.writeMap, first, mapping, session);
    return { plan: first, mapping };
  }
  const bodyOf = (list: readonly StackRecord[], wanted: string) => list.find(({ id }) => id === wanted)?.body;
  const answered = await mapInteractively(
    {
      planWith,
      mapping,
      bodiesOf: ({ space, id }) => ({
        wanted: bodyOf(
          records.filter(({ kind }) => kind === space),
          id,
        ),
        candidate: (candidate) => bodyOf(inventory.kinds.get(space)?.records ?? [], candidate),
      }),
    },
    session,
  );
  await writeMapDraft(request.writeMap ?? MAP_FILE, answered.plan, answered.mapping, session);
  return answered;
}
