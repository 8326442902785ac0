import { expect, it } from "vitest";
import { followAfterKill, writesToFollow } from "../support/moved-source.ts";

it("a mirror that was killed at any write, before it or after it, is finished by the next run", async () => {
  const writes = await writesToFollow();
  expect(writes).toBe(34);
  for (let kill = 1; kill <= writes; kill += 1) {
    await followAfterKill("intercept", kill);
    await followAfterKill("interceptAfter", kill);
  }
});
