import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fitLimitsFlag } from "../../../../src/cli/program/flags.ts";
import { kinds } from "../../../../src/kinds/registry.ts";

const rules = kinds.flatMap(({ name, limits }) =>
  limits.filter(({ fixed }) => fixed !== true).map(({ path }) => ({ kind: name, path })),
);

/** By the path of each rule, the word that mentions it in the help. */
const IN_HELP: Readonly<Record<string, RegExp>> = {
  name: /names/,
  section: /texts/,
  description: /texts/,
  "tags[]": /tags/,
  tags: /tags/,
  "tiles[].x": /tiles/,
  "tiles[].y": /tiles/,
  "tiles[].w": /tiles/,
  "tiles[].h": /tiles/,
  "tiles[].config.select[]": /metrics/,
  "tiles[].config.markdown": /texts/,
  "savedFilterValues[]": /filters/,
  "filters[]": /filters/,
  filters: /filters/,
  scheduleOffsetMinutes: /offset/,
};

describe("a rule of --fit-limits", () => {
  const page = readFileSync(new URL("../../../../docs/limits.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| (\S+) +\| `(\S+)` +\| .+ \|$/gm)].map(([, kind, path]) => `${kind} ${path}`);

  it("has one row in the table of docs/limits.md", () => {
    expect(rows.toSorted()).toEqual(rules.map(({ kind, path }) => `${kind} ${path}`).toSorted());
  });

  it.each(rules)("is mentioned in the help: $path of $kind", ({ path }) => {
    expect(fitLimitsFlag.describe).toMatch(IN_HELP[path] ?? /no such word/);
  });
});
