import { dashboard, alert, hexId, records, source, tileWith, webhook } from "../../support/stack-records.ts";
import {
  importStage,
  type ImportStage,
  type JsonObject,
  type RunOptions,
  type StackRecord,
  type StageRun,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordOn } from "../../support/on-stack.ts";

// If both sides have changed a dashboard, `--on-conflict merge` merges it tile by tile. The journal tells what both sides
// had before.

export const [logs, hook, boardId] = [hexId("b", 1), hexId("b", 2), hexId("b", 16)];
const dependencies = { sources: [source(logs, "Logs", hexId("c", 1))], webhooks: [webhook(hook, "oncall")] };

/** Returns a tile of the archive with this name and this version of its query. */
export function tile(name: string, version = "1"): JsonObject {
  const select = [{ aggFn: "count", where: version, whereLanguage: "lucene" }];
  const config = { displayType: "line", sourceId: logs, fillNulls: true, select };
  return tileWith(hexId("d", name.charCodeAt(0)), name, config);
}

/** Returns the archive's tile at another place. */
export const tileAt = (name: string, x: number, y: number): JsonObject => ({ ...tile(name), x, y });

export const three = [tile("A"), tile("B"), tile("C")];

/** Returns the archive's dashboard "Overview" with these tiles. */
export const overview = (tiles: readonly JsonObject[], members: JsonObject = {}): JsonObject =>
  dashboard(boardId, "Overview", logs, { tiles, ...members });

/** Returns the archive's alert on the tile with this name. */
export const alertOn = (name: string): StackRecord[] =>
  records({ alerts: [alert(hexId("a", 50), `On ${name}`, { id: boardId, tiles: [tile(name)] }, hook)] });

/** A version of the archive besides the tiles of the dashboard, and the options of a run. */
interface VersionOptions extends RunOptions {
  readonly members?: JsonObject;
  readonly alerts?: readonly StackRecord[];
}

/** A stack with the dashboard "Overview", onto which imports can be run. */
export interface MergeStage {
  readonly stack: MemoryStack;
  readonly stage: ImportStage;
  /** Imports a version of the dashboard with these tiles; by default, merges it. */
  run(tiles: readonly JsonObject[], options?: VersionOptions): Promise<StageRun>;
  /** Returns the stack's dashboard, its tiles, and the version of each tile. */
  body(): JsonObject;
  tiles(): JsonObject[];
  versions(): Record<string, unknown>;
  /** Changes the stack's tiles, one tile, or the query of one tile, as a user does in the web interface. */
  retile(change: (tiles: JsonObject[]) => JsonObject[]): void;
  editTile(name: string, change: JsonObject): void;
  setVersion(name: string, version: string): void;
}

/** Makes a stage for runs onto a stack with these dashboards. */
export function mergeStage(...dashboards: readonly JsonObject[]): MergeStage {
  const stack = memoryStack({ dashboards, alerts: [], ...dependencies });
  const stage = importStage(stack);
  const body = (): JsonObject => recordOn(stack, "dashboards", "Overview");
  const tiles = (): JsonObject[] => (body()["tiles"] ?? []) as JsonObject[];
  const retile: MergeStage["retile"] = (change) =>
    changeOn(stack, "dashboards", { tiles: change(tiles()) }, "Overview");
  const editTile: MergeStage["editTile"] = (name, change) =>
    retile((all) => all.map((each) => (each["name"] === name ? { ...each, ...change } : each)));
  return {
    stack,
    stage,
    run: (wanted, { members = {}, alerts = [], ...options } = {}) =>
      stage.run([...archive(wanted, members), ...alerts], { onConflict: "merge", ...options }),
    body,
    tiles,
    versions: () => Object.fromEntries(tiles().map((each) => [String(each["name"]), versionOf(each)])),
    retile,
    editTile,
    setVersion: (name, version) => editTile(name, { config: tile(name, version)["config"] ?? null }),
  };
}

/** Makes a stage, and imports a version of the dashboard. */
export async function imported(
  tiles: readonly JsonObject[] = three,
  options: VersionOptions = {},
): Promise<MergeStage> {
  const board = mergeStage();
  await board.run(tiles, options);
  return board;
}

/** Returns an archive of the dashboard with these tiles. */
export const archive = (tiles: readonly JsonObject[], members: JsonObject = {}): StackRecord[] =>
  records({ dashboards: [overview(tiles, members)], ...dependencies });

export const versionOf = ({ config }: JsonObject): unknown =>
  (config as { select: readonly { where: string }[] }).select[0]?.where;

/** Returns the parts that a merge names, because it leaves what the target has. */
export const conflictsOf = ({ plan }: StageRun): string[] =>
  plan.items.flatMap(({ code = "", kept = [] }) =>
    ["kept", "both-changed", "exists"].includes(code) ? kept.map(({ label }) => label) : [],
  );

/** Returns what a run has decided about the dashboard. */
export function decisionOf({ outcomes }: StageRun, name = "Overview"): string {
  const { action, code } = outcomes.find((outcome) => outcome.name === name) ?? {};
  return [action, code].filter(Boolean).join(" ");
}
