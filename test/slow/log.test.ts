import { describe, expect, it } from "vitest";
import { editedStack, loggedEdits, logOf } from "../support/edited-stack.ts";

describe("the log of 200 days of edits", () => {
  it.each([1, 2, 3])("equals the list of the edits, each once, on the right backup (seed %i)", async (seed) => {
    const { stage, edits } = await editedStack(seed, 200);
    expect(edits.length).toBeGreaterThan(200);
    expect(loggedEdits(await logOf(stage))).toEqual(edits);
  });
});
