import type { ManualMapping } from "../../core/plan/plan.ts";

/** Returns a mapping as given, or loads it from a map file. @throws StackferryError `config` */
export async function mappingOf(map: ManualMapping | string | undefined): Promise<ManualMapping> {
  if (typeof map !== "string") return map ?? {};
  // The YAML reader takes longer to load than everything else.
  const { loadMapFile } = await import("../../config/map-file.ts");
  return loadMapFile(map);
}
