import { describe, expect, it } from "vitest";
import { IdMap } from "../../../src/core/plan/id-map.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { fillIds } from "../../../src/import/ids-to-come.ts";
import { createBodies, formOf, type Bodies } from "../../../src/import/write-body.ts";
import { knownKind } from "../../../src/kinds/registry.ts";
import { indexArchive } from "../../../src/references/archive-index.ts";
import { hexId } from "../../support/stack-records.ts";

const [logs, logsThere, one, two] = [hexId("a", 1), hexId("b", 1), hexId("a", 16), hexId("a", 17)];
const kind = knownKind("dashboards");

const note = (id: string, text: string): JsonObject => ({
  id,
  name: "Note",
  config: { displayType: "markdown", markdown: text },
});

function dashboard(id: string, ...tiles: readonly JsonObject[]): StackRecord {
  return { kind: "dashboards", id, name: "Board", body: { id, name: "Board", tiles } };
}

const chart = {
  id: hexId("d", 1),
  name: "Chart",
  config: { displayType: "line", sourceId: logs, select: [{ level: 1 }] },
};
const plain = note(hexId("d", 2), "nothing to translate");
const linked = dashboard(one, chart, plain, note(hexId("d", 3), `see /d/${two}`));

async function bodies(): Promise<Bodies> {
  const ids = new IdMap([{ space: "sources", from: logs, to: logsThere }]);
  return createBodies(await indexArchive([linked, dashboard(two)]), {}, ids);
}

const textOf = ({ tiles }: JsonObject): unknown => (tiles as { config: { markdown?: string } }[])[2]?.config.markdown;

describe("the body of a record in the words of the target", () => {
  it("is built once, and again only after its release", async () => {
    const { of, release, built } = await bodies();
    const first = of(`dashboards/${one}`);
    expect(of(`dashboards/${one}`)).toBe(first);
    release(`dashboards/${one}`);
    expect([built.size, of(`dashboards/${one}`) === first]).toEqual([0, false]);
  });

  it("shares with the archive's record what is the same on the target", async () => {
    const { desired } = (await bodies()).of(`dashboards/${one}`);
    const [translated, shared] = desired["tiles"] as readonly JsonObject[];
    expect(translated).toEqual({ ...chart, config: { ...chart.config, sourceId: logsThere } });
    expect((translated as { config: JsonObject }).config["select"]).toBe(chart.config.select);
    expect(shared).toBe(plain);
  });

  it("has a stand-in for an id to come, which becomes the id that the run has made, or that of the archive", async () => {
    const { of, idsToCome } = await bodies();
    const { desired } = of(`dashboards/${one}`);
    expect([...idsToCome.values()]).toMatchObject([{ space: "dashboards", id: two }]);
    expect(textOf(desired)).not.toContain(two);
    expect(textOf(fillIds(desired, idsToCome, () => hexId("e", 9)))).toBe(`see /d/${hexId("e", 9)}`);
    expect(textOf(fillIds(desired, idsToCome, () => undefined))).toBe(`see /d/${two}`);
  });

  it("takes the form of its write: a create has no ids of tiles, an update has those of the target", async () => {
    const body = (await bodies()).of(`dashboards/${one}`);
    const ids = new IdMap([{ space: "dashboards/tiles", from: `${one}/${chart.id}`, to: hexId("e", 1) }]);
    const tileIds = (form: JsonObject): unknown[] => (form["tiles"] as readonly JsonObject[]).map(({ id }) => id);
    expect(tileIds(formOf(kind, body, { sourceId: one, action: "create" }, ids, {}))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const update = formOf(kind, body, { sourceId: one, action: "update", targetId: hexId("b", 16) }, ids, {});
    expect(tileIds(update)).toEqual([hexId("e", 1), undefined, undefined]);
  });
});
