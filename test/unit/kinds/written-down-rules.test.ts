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
describe("a rule of the API that is written down in the code", () => {
  it.each(TILES_WITHOUT_ALERTS)("is in the table of tile alerts: %s keeps none", (type) => {
    expect(linesWith("Tile alerts", "deleted without a word").toLowerCase()).toContain(type.replace("_", " "));
  });

  it.each(CREATABLE_SERVICES)("is in the section of webhooks: %s can be created", (service) => {
    expect(linesWith("Webhooks", "A create takes the services")).toContain(`\`${service}\``);
  });
});
