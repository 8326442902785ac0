import { describe, expect, it } from "vitest";
import { fromOtherStack, newStage } from "../../support/import-samples.ts";
import {
  importInto,
  importStage,
  outcomeLines,
  outcomeOf,
  writesOn,
  type RunOptions,
} from "../../support/import-stage.ts";
import { lostAnswerError, memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { dashboard, hexId, records } from "../../support/stack-records.ts";
import { creatingAll, emptyStack, ON_REQUEST, oneOfEach } from "./every-kind.ts";

// The web interface keeps the blanks around a name, and the API takes them away (docs/api.md#dashboards).

const NAMES = [" Errors", "Errors ", "\tErrors \n", "\u00A0Errors"];
const KINDS = [...ON_REQUEST, "dashboards", "alerts"];
const THEIRS = hexId("b", 7);

/** Makes an empty target that takes the blanks away. */
function trimming(): MemoryStack {
  const stack = emptyStack();
  stack.replaceStored = (_, body) => ({ ...body, name: String(body["name"]).trim() });
  return stack;
}

const everything: RunOptions = { ...fromOtherStack, onConflict: "overwrite", ...creatingAll(oneOfEach("")) };

describe.each(NAMES)("records whose name has blanks, as in %j,", (name) => {
  it("are created once, without the blanks, and are unchanged in later runs, with and without a journal", async () => {
    const { stack, stage } = newStage(trimming());
    expect((await stage.run(records(oneOfEach(name)), everything)).exitCode).toBe(0);
    for (const kind of KINDS) expect(recordsOn(stack, kind)).toMatchObject([{ name: "Errors" }]);
    stack.requests.length = 0;
    for (const later of [stage, importStage(stack)]) {
      const { plan } = await later.run(records(oneOfEach(name)), everything);
      expect(writesOn(stack)).toEqual([]);
      expect(outcomeLines(plan.items, "kind", "action", "code").toSorted()).toEqual([
        "alerts unchanged",
        "connections skip matched",
        "dashboards unchanged",
        "saved-searches skip matched",
        "sources skip matched",
        "webhooks skip matched",
      ]);
    }
  });

  it.each(KINDS)("are found in the list if the response to their create was lost: %s", async (kind) => {
    const stack = trimming();
    let lost = false;
    stack.interceptAfter = (operation) => {
      if (operation !== `create ${kind}` || lost) return;
      lost = true;
      throw lostAnswerError();
    };
    const run = await importInto(stack, records(oneOfEach(name)), everything);
    expect([lost, run.exitCode]).toEqual([true, 0]);
    expect(recordsOn(stack, kind)).toHaveLength(1);
  });

  it.each([...ON_REQUEST, "dashboards"])("are named in a map file with and without their blanks: %s", async (kind) => {
    const theirs = Object.entries({ ...oneOfEach("Theirs"), alerts: [] });
    const there = Object.fromEntries(theirs.map(([of, list]) => [of, list.map((body) => ({ ...body, id: THEIRS }))]));
    const dashboards = [dashboard(hexId("a", 16), name, "", { tiles: [] })];
    const ours = { ...oneOfEach(name), dashboards, alerts: [] };
    for (const from of [name, "Errors"]) {
      // The right side of a dashboard's line is an id, because an import changes the name.
      const mapping = { [kind]: { [from]: kind === "dashboards" ? THEIRS : "Theirs " } };
      const { plan } = await importInto(memoryStack(there), records(ours), { ...everything, mapping });
      expect(plan.items.find((item) => item.kind === kind)).toMatchObject({ targetId: THEIRS });
    }
  });
});

it("an alert of which only the blanks around the name differ from the target's is left as it is", async () => {
  const stack = memoryStack(oneOfEach("Errors"));
  const run = await importInto(stack, records(oneOfEach(" Errors ")), everything);
  expect(outcomeOf(run, hexId("a", 32))).toMatchObject({ action: "unchanged" });
  expect(writesOn(stack)).toEqual([]);
});
