import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Diff } from "../../../src/core/diff.ts";
import type { Outcome } from "../../../src/core/outcome.ts";
import type { Plan } from "../../../src/core/plan/plan.ts";
import { documentPage } from "../../../src/report/html/document-page.ts";
import { readStackModel } from "../../../src/report/model/stack.ts";
import { archiveDocument } from "../../../src/report/view/archive.ts";
import { diffDocument } from "../../../src/report/view/diff.ts";
import { planDocument } from "../../../src/report/view/plan.ts";
import { manifestOf } from "../../support/archive-samples.ts";
import { HOSTILE_NAME, hostileRecords } from "../../support/hostile-records.ts";

const madeBy = `stackferry <b>`;
const identity = { variant: "managed", baseUrl: "https://x.example.com", serviceId: HOSTILE_NAME } as const;
const dashboard = hostileRecords.find(({ kind }) => kind === "dashboards");
const hostileKey = `dashboards/${dashboard?.id ?? ""}` as const;

const plan: Plan = {
  items: hostileRecords.map(({ kind, id, name }) => ({
    kind,
    sourceId: id,
    name,
    action: kind === "alerts" ? "blocked" : "create",
    ...(kind === "alerts" && { code: "missing-reference", message: HOSTILE_NAME }),
    dependsOn: [hostileKey],
    linksTo: [],
  })),
  matches: [
    {
      space: "sources",
      from: "1",
      to: HOSTILE_NAME,
      name: HOSTILE_NAME,
      targetName: HOSTILE_NAME,
      rule: "constructor",
    },
  ],
  unresolved: [
    {
      space: "webhooks",
      id: HOSTILE_NAME,
      name: HOSTILE_NAME,
      reason: "missing",
      candidates: [{ id: HOSTILE_NAME, name: HOSTILE_NAME }],
      neededBy: 2,
    },
  ],
  ids: [],
  bodies: new Map(),
  idsToCome: new Map(),
  warnings: [{ code: "dead-link", message: HOSTILE_NAME, pointer: HOSTILE_NAME }],
  missingSecrets: [],
};

const manifest = {
  ...manifestOf(hostileRecords),
  source: identity,
  redactions: [{ path: HOSTILE_NAME, pointer: HOSTILE_NAME, rule: HOSTILE_NAME }],
  warnings: [{ code: "dead-reference" as const, message: HOSTILE_NAME }],
};
const summary = { path: HOSTILE_NAME, formatVersion: 1, contentDigest: "d", bytes: 12_345 };
const sides = { left: HOSTILE_NAME, right: HOSTILE_NAME, facts: [], whole: true, hasIds: true };

const around = { headline: HOSTILE_NAME, facts: [["Archive", HOSTILE_NAME]] } as const;
const note = { text: HOSTILE_NAME, isFailure: true };
const planReport = {
  ...around,
  notes: [note],
  next: [HOSTILE_NAME],
  plan,
  records: hostileRecords,
  whole: true,
};

function pageOfDiff(diff: Diff): Promise<string> {
  return documentPage(diffDocument({ diff, ...sides }), madeBy);
}

const pages: Readonly<Record<string, string>> = {
  archive: await documentPage(archiveDocument({ summary, manifest, model: readStackModel(hostileRecords) }), madeBy),
  plan: await documentPage(planDocument(planReport), madeBy),
  diff: await pageOfDiff({
    changes: hostileRecords.map(({ kind, id, name }) => ({
      kind,
      change: "changed",
      name,
      leftId: id,
      rightId: id,
      members: [
        { pointer: "/tiles/0/name", change: "changed", from: HOSTILE_NAME, to: { [HOSTILE_NAME]: HOSTILE_NAME } },
      ],
    })),
    same: 3,
    notCompared: [{ kind: HOSTILE_NAME, side: "left", reason: "failed" }],
  }),
};

describe.each(Object.entries(pages))("the page of a hostile %s", (_name, page) => {
  it("has only the style and the script of its content security policy", () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? "";
    expect(policy.startsWith("default-src &#39;none&#39;; ")).toBe(true);
    for (const tag of ["style", "script"]) {
      const found = [...page.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, "gs"))];
      expect(found).toHaveLength(1);
      const digest = createHash("sha256")
        .update(found[0]?.[1] ?? "")
        .digest("base64");
      expect(policy).toContain(`${tag}-src &#39;sha256-${digest}&#39;`);
    }
  });

  it("has no event handler, no inline style, no loaded resource, and only links to itself", () => {
    const tags = page.replace(/<(style|script)>.*?<\/\1>/gs, "").match(/<[a-z][^>]*>/gi) ?? [];
    const attributes = tags.flatMap((tag) =>
      [...tag.matchAll(/\s([\w:-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    expect(attributes.length).toBeGreaterThan(50);
    for (const [name = "", value = ""] of attributes) {
      expect(name).not.toMatch(/^on|^style$|^src|^action$|^xlink/i);
      if (name === "href") expect(value).toMatch(/^#[\w-]+$/);
    }
    expect(tags.filter((tag) => /^<(?:img|iframe|object|embed|link|base|form|image|foreignObject)/i.test(tag))).toEqual(
      [],
    );
  });

  it("escapes markup, control characters and characters that change the text direction", () => {
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u001b\u0007\u{e0041}]/u);
    expect(page).toContain("\\u{202e}");
    expect(page).toContain("&lt;script&gt;window.pwned=1&lt;/script&gt;");
  });

  it("has unique ids", () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

it("the page of a comparison shows the words of a long text that differ, and never the whole text twice", async () => {
  const child = { noun: "tile", name: "CPU" };
  const text = "select count() from logs where service = 'checkout' and level = 'error'";
  const to = text.replace("checkout", "payments");
  const members = [{ pointer: "/tiles/0/config/sql", change: "changed", from: text, to, child }] as const;
  const change = { kind: "dashboards", change: "changed", name: "D", leftId: "1", rightId: "1", members } as const;
  const page = await pageOfDiff({ changes: [change], same: 0, notCompared: [] });
  expect(page).toContain("<del>checkout</del><ins>payments</ins>");
  expect(page).not.toContain("select count()");
});

describe("the page of a plan", () => {
  it("has each record with its action, and blocked records with the reason and not as failed", async () => {
    const page = pages["plan"] ?? "";
    expect(page).toContain("missing-reference");
    expect(
      [...page.matchAll(/data-state="(\w+)"/g)].map(([, state]) => state).filter((state) => state === "blocked"),
    ).toHaveLength(1);
    const { items } = plan;
    const pageAfter = (ends: Pick<Outcome, "action" | "status">): Promise<string> =>
      documentPage(
        planDocument({
          ...planReport,
          outcomes: items.map(({ kind, name, sourceId }) => ({ kind, name, sourceId, ...ends })),
        }),
        madeBy,
      );
    const done = await pageAfter({ action: "create", status: "done" });
    expect(done).toContain('data-state="created"');
    expect(done).not.toContain('data-state="blocked"');
    // A blocked record was never written, so it does not count as failed.
    const blocked = await pageAfter({ action: "blocked", status: "failed" });
    expect(blocked).toContain(`: ${items.length} blocked.</p>`);
    expect(blocked).not.toContain('data-state="failed"');
  });
});
