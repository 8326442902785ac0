import { describe, expect, it } from "vitest";
import { usesColour } from "../../../../src/cli/output/terminal.ts";

const output = (isTTY: boolean) => ({ write: () => {}, isTTY, columns: undefined });

describe("usesColour", () => {
  it.each([
    ["true on a terminal", true, {}, false, true],
    ["false without a terminal", false, {}, false, false],
    ["false with NO_COLOR", true, { NO_COLOR: "1" }, false, false],
    ["true with an empty NO_COLOR", true, { NO_COLOR: "" }, false, true],
    ["false on a dumb terminal", true, { TERM: "dumb" }, false, false],
    ["true with FORCE_COLOR, without a terminal", false, { FORCE_COLOR: "1" }, false, true],
    ["false with FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, false, false],
    ["true with FORCE_COLOR and NO_COLOR", true, { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
    ["false with --no-color, whatever FORCE_COLOR is", true, { FORCE_COLOR: "1" }, true, false],
  ])("is %s", (_case, isTTY, env, noColor, expected) => {
    expect(usesColour(output(isTTY), env, noColor)).toBe(expected);
  });
});
