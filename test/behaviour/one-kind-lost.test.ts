import { describe, expect, it } from "vitest";
import { sampleRecord } from "../support/archive-samples.ts";
import type { StoredBackups } from "../support/stored-backups.ts";
import { nameAt, storedBackups } from "../support/stored-backups.ts";

const HOUR = 3_600_000;

type Counts = Readonly<Record<string, number>>;

const FULL: Counts = { dashboards: 9, alerts: 14, "saved-searches": 4, sources: 40, webhooks: 20 };

const recordsOf = (counts: Counts) =>
  Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => sampleRecord(`${kind}${index}`, kind, { tiles: [] })),
  );

/** A backup of the full stack at hour 0, then one of it with some counts changed at hour 1. */
async function afterwards(changed: Counts): Promise<{
  readonly bench: StoredBackups;
  readonly result: Awaited<ReturnType<StoredBackups["backup"]>>;
}> {
  const bench = await storedBackups();
  const kinds = Object.fromEntries(
    Object.entries({ ...FULL, ...changed }).map(([kind, count]) => [kind, { status: "complete", count } as const]),
  );
  await bench.backup({ records: recordsOf(FULL) });
  await bench.clock.advance(HOUR);
  return {
    bench,
    result: await bench.backup({ records: recordsOf({ ...FULL, ...changed }), kinds, policy: { last: 1 } }),
  };
}

describe("a kind that people write by hand makes a backup suspect", () => {
  it.each<[Counts, string[]]>([
    [{ alerts: 0 }, ["kind-shrunk"]],
    [{ dashboards: 2 }, ["kind-shrunk"]],
    [{ dashboards: 0 }, ["kind-shrunk"]],
    [{ "saved-searches": 1 }, ["kind-shrunk"]],
    [{ "saved-searches": 0 }, ["kind-shrunk"]],
    [{ alerts: 7 }, []],
    [{ alerts: 6 }, ["kind-shrunk"]],
    [{ alerts: 13, dashboards: 8 }, []],
    [{ webhooks: 0 }, []],
    [{ alerts: 15 }, []],
  ])("%j: %j", async (changed, codes) => {
    const { bench, result } = await afterwards(changed);
    expect(result.suspect.map(({ code }) => code)).toEqual(codes);
    expect((await bench.archives()).length).toBe(codes.length === 0 ? 1 : 2);
    expect(await bench.choose("latest")).toBe(nameAt(codes.length === 0 ? 1 : 0));
  });

  it("where it falls to nothing also without a share, and not where it only shrinks", async () => {
    for (const [alerts, suspect] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const bench = await storedBackups();
      Object.assign(bench.dependencies, { minShare: 0 });
      await bench.backup({ records: recordsOf(FULL) });
      await bench.clock.advance(HOUR);
      expect((await bench.backup({ records: recordsOf({ ...FULL, alerts }) })).suspect).toHaveLength(suspect);
    }
  });
});

describe("whatever shrinks is told", () => {
  it("by the run, and by those who look at it later, status or not", async () => {
    const { bench, result } = await afterwards({ webhooks: 18, alerts: 13 });
    expect(result.shrinkage).toBe("alerts 14 → 13, webhooks 20 → 18");
    expect(result.state).toMatchObject({ suspect: false, shrunkFrom: { alerts: 14, webhooks: 20 } });
    expect(await bench.check()).toMatchObject([{ state: { shrunkFrom: { alerts: 14, webhooks: 20 } } }]);

    const whole = await afterwards({ alerts: 0 });
    await whole.bench.repository.remove("s/status.json");
    expect(await whole.bench.check()).toMatchObject([
      {
        suspect: [{ archive: nameAt(1), problem: "alerts 14 → 0" }],
        state: { suspect: true, shrunkFrom: { alerts: 14 } },
      },
    ]);
  });

  it("by a run that finds the same little again", async () => {
    const { bench } = await afterwards({ alerts: 0 });
    await bench.clock.advance(HOUR);
    const records = recordsOf({ ...FULL, alerts: 0 });
    const kinds = Object.fromEntries(
      Object.entries({ ...FULL, alerts: 0 }).map(([kind, count]) => [kind, { status: "complete", count } as const]),
    );
    expect(await bench.backup({ records, kinds, ifChanged: true })).toMatchObject({
      result: "unchanged",
      suspect: [{ code: "kind-shrunk" }],
      shrinkage: "alerts 14 → 0",
    });
  });

  it("of nothing where nothing does", async () => {
    const { result } = await afterwards({ alerts: 20 });
    expect(result.shrinkage).toBe("");
    expect(result.state.shrunkFrom).toBeUndefined();
  });
});
