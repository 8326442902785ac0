import { describe, expect, it } from "vitest";
import { fromOtherStack, newStage } from "../../support/import-samples.ts";
import {
  importInto,
  importStage,
  outcomeLines,
  outcomeOf,
  writesOn,
  type JsonObject,
  type RunOptions,
} from "../../support/import-stage.ts";
import { lostAnswerError, memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { alert, archiveIds, dashboard, hexId, records, source, webhook } from "../../support/stack-records.ts";

// The web interface keeps the blanks around a name, and the API takes them away (docs/api.md#dashboards).

const NAMES = [" Errors", "Errors ", "\tErrors \n", "\u00A0Errors"];
const [MAIN, THEIRS] = [hexId("c", 1), hexId("b", 7)];

const board = (name: string): JsonObject => dashboard(hexId("a", 16), name, archiveIds.source);
/** Returns a record of each kind, each with this name. */
const all = (
  name: string,
): Record<"connections" | "sources" | "webhooks" | "saved-searches" | "dashboards" | "alerts", JsonObject[]> => ({
  connections: [{ id: MAIN, name, host: "http://ch:8123", username: "default" }],
  sources: [source(archiveIds.source, name, MAIN)],
  webhooks: [webhook(archiveIds.webhook, name)],
  "saved-searches": [{ id: hexId("a", 5), name, sourceId: archiveIds.source, where: "x", tags: [] }],
  dashboards: [board(name)],
  alerts: [alert(hexId("a", 32), name, board(name), archiveIds.webhook)],
});
const kindsOf = Object.keys(all(""));

/** Makes an empty target that takes the blanks away. */
function trimming(): MemoryStack {
  const stack = memoryStack(Object.fromEntries(kindsOf.map((kind) => [kind, []])));
  stack.replaceStored = (_, body) => ({ ...body, name: String(body["name"]).trim() });
  return stack;
}

const create = ["connections", "sources", "webhooks", "saved-searches"];
const none = [{ value: null }];
const answers = { "/password": none, "/headers": none, "/queryParams": none };
const secrets = { [`connections/${MAIN}`]: answers, [`webhooks/${archiveIds.webhook}`]: answers };
const everything: RunOptions = { ...fromOtherStack, onConflict: "overwrite", create, secrets };

describe.each(NAMES)("records whose name has blanks, as in %j,", (name) => {
  it("are created once, without the blanks, and are unchanged in later runs, with and without a journal", async () => {
    const { stack, stage } = newStage(trimming());
    expect((await stage.run(records(all(name)), everything)).exitCode).toBe(0);
    for (const kind of kindsOf) expect(recordsOn(stack, kind)).toMatchObject([{ name: "Errors" }]);
    stack.requests.length = 0;
    for (const later of [stage, importStage(stack)]) {
      const { plan } = await later.run(records(all(name)), everything);
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

  it.each(kindsOf)("are found in the list if the response to their create was lost: %s", async (kind) => {
    const stack = trimming();
    let lost = false;
    stack.interceptAfter = (operation) => {
      if (operation !== `create ${kind}` || lost) return;
      lost = true;
      throw lostAnswerError();
    };
    const run = await importInto(stack, records(all(name)), everything);
    expect([lost, run.exitCode]).toEqual([true, 0]);
    expect(recordsOn(stack, kind)).toHaveLength(1);
  });

  it.each([...create, "dashboards"])("are named in a map file with and without their blanks: %s", async (kind) => {
    const theirs = Object.entries({ ...all("Theirs"), alerts: [] });
    const there = Object.fromEntries(theirs.map(([of, list]) => [of, list.map((body) => ({ ...body, id: THEIRS }))]));
    const ours = { ...all(name), dashboards: [{ ...board(name), tiles: [] }], alerts: [] };
    for (const from of [name, "Errors"]) {
      // The right side of a dashboard's line is an id, because an import changes the name.
      const mapping = { [kind]: { [from]: kind === "dashboards" ? THEIRS : "Theirs " } };
      const { plan } = await importInto(memoryStack(there), records(ours), { ...everything, mapping });
      expect(plan.items.find((item) => item.kind === kind)).toMatchObject({ targetId: THEIRS });
    }
  });
});

it("an alert of which only the blanks around the name differ from the target's is left as it is", async () => {
  const stack = memoryStack(all("Errors"));
  const run = await importInto(stack, records(all(" Errors ")), everything);
  expect(outcomeOf(run, hexId("a", 32))).toMatchObject({ action: "unchanged" });
  expect(writesOn(stack)).toEqual([]);
});
