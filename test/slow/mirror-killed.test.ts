import { expect, it } from "vitest";
import { applyKilled, movedFolder } from "../support/killed-apply.ts";
import { followAfterKill, writesToFollow } from "../support/moved-source.ts";

it("a mirror that was killed at any write, before it or after it, is finished by the next run", async () => {
  const writes = await writesToFollow();
  expect(writes).toBe(34);
  for (let kill = 1; kill <= writes; kill += 1) {
    await followAfterKill("intercept", kill);
    await followAfterKill("interceptAfter", kill);
  }
});

it("so is the built program's apply --mirror, killed at every write, before it is stored and after it", async () => {
  const folder = await movedFolder();
  const whole = await applyKilled(folder);
  expect(whole.sent).toBe(34);
  expect(whole.end).toMatchObject({ writes: 0 });
  for (let at = 1; at <= whole.sent; at += 1) {
    for (const moment of ["before", "after"] as const) {
      const { end } = await applyKilled(folder, { moment, at });
      expect(end, `${moment} write ${at}`).toEqual(whole.end);
    }
  }
});
