import type { JsonObject } from "../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../core/json.ts";
import { textOf } from "../record-schema.ts";

/** Charts whose tiles say in each answer of a self-hosted stack whether gaps are filled. */
const FILLED: readonly string[] = ["line", "stacked_bar"];

/** Charts whose select items have a language in each such answer. */
const SELECTING: readonly string[] = [...FILLED, "table", "number", "pie", "bar"];

/**
 * Whether a tile of a self-hosted stack's answer stands in for one that the API cannot show: a write would put it in the place of
 * the true one. Such a tile lacks what the server says of every tile of its own (docs/api.md#hidden-tiles).
 */
export function isSubstituteTile({ config }: JsonObject): boolean {
  if (config === undefined || !isJsonObject(config)) return false;
  const shows = textOf(config, "displayType");
  if (FILLED.includes(shows) && config["fillNulls"] === undefined) return true;
  const { select } = config;
  if (!SELECTING.includes(shows) || !isJsonArray(select)) return false;
  return select.some((item) => isJsonObject(item) && item["whereLanguage"] === undefined);
}
