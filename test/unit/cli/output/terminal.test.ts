import { describe, expect, it } from "vitest";
import { usesColour } from "../../../../src/cli/output/terminal.ts";

const output = (isTTY: boolean) => ({ write: () => {}, isTTY, columns: undefined });

describe("usesColour", () => {
  it.each([
    [true, {}, false, true],
    [false, {}, false, false],
    [true, { NO_COLOR: "1" }, false, false],
    [true, { NO_COLOR: "" }, false, true],
    [true, { TERM: "dumb" }, false, false],
    [false, { FORCE_COLOR: "1" }, false, true],
    [true, { FORCE_COLOR: "0" }, false, false],
    [true, { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
    [true, { FORCE_COLOR: "1" }, true, false],
  ])("is, on a terminal (%s) with %j and --no-color (%s), %s", (isTTY, env, noColor, expected) => {
    expect(usesColour(output(isTTY), env, noColor)).toBe(expected);
  });
});
