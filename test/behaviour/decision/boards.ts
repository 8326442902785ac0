import type { Base } from "../../../src/core/plan/base.ts";
import { outcomeLines, type ImportStage, type JsonObject, type StageRun } from "../../support/import-stage.ts";
import { update } from "../../support/mirror-stage.ts";
import { dashboard, hexId, targetIds } from "../../support/stack-records.ts";

/** The options of a run that keeps what differs. */
export const keep = { ...update, onConflict: "keep" } as const;

/** Makes a dashboard named "Board 16" that somebody else created on the target. */
export const theirs = (more: JsonObject = {}): JsonObject =>
  dashboard(hexId("b", 16), "Board 16", targetIds.source, more);

/** Returns a line for each dashboard's outcome. */
export const boardLines = ({ outcomes }: StageRun): string[] =>
  outcomeLines(
    outcomes.filter(({ kind }) => kind === "dashboards"),
    "name",
    "action",
    "code",
  );

/** Returns the key of a dashboard of the archive. */
export const keyOf = (number: number): `dashboards/${string}` => `dashboards/${hexId("a", number)}`;

/** Returns what the journal knows of a dashboard of the archive. */
export const knownOf = (stage: ImportStage, number: number): Base | undefined => stage.bases.get(keyOf(number));
