import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TILES_WITHOUT_ALERTS } from "../../../src/kinds/members/dashboard-variants.ts";
import { CREATABLE_SERVICES } from "../../../src/kinds/webhooks.ts";

const page = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");

/** Returns the lines of a section of docs/api.md that contain this part. */
function linesWith(heading: string, part: string): string {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const paragraphs = section.split(/\n(?=[-|])/);
  return paragraphs.filter((text) => text.includes(part)).join("\n");
}

// The members that a deployment takes are learned from its answers. Rules that no answer tells in time are written
// down, each with its source.
describe("an API rule in the code is documented", () => {
  it.each(TILES_WITHOUT_ALERTS)("the table of tile alerts says that %s keeps no alert", (type) => {
    expect(linesWith("Tile alerts", "deleted without a word").toLowerCase()).toContain(type.replace("_", " "));
  });

  it.each(CREATABLE_SERVICES)("the section on webhooks says that %s can be created", (service) => {
    expect(linesWith("Webhooks", "A create takes the services")).toContain(`\`${service}\``);
  });
});
