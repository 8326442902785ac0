import type { ManualMapping } from "../../core/plan/plan.ts";

/** A mapping that is given as such, or as the path of a map file. @throws StackferryError `config` */
export async function mappingOf(map: ManualMapping | string | undefined): Promise<ManualMapping> {
  if (typeof map !== "string") return map ?? {};
  // What reads YAML takes longer to load than the rest.
  const { loadMapFile } = await import("../../config/map-file.ts");
  return loadMapFile(map);
}
