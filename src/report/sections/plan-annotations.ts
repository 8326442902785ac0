import type { Outcome } from "../../domain/outcome.ts";
import type { Plan, PlanItem } from "../../domain/plan.ts";
import { recordKey } from "../../domain/record.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import type { StackModel } from "../model/stack-model.ts";
import { badge } from "../page/badge.ts";
import { facts, linkTo } from "../page/parts.ts";
import type { Annotate } from "./record-sections.ts";

/** Those that want a look come first. */
const ORDER = ["failed", "blocked", "create", "created", "update", "updated", "skip", "unchanged"];
/** Codes that come without a message. */
const WORDS: Readonly<Record<string, string>> = { matched: "it is on the target already" };
const DONE: Readonly<Record<string, string>> = { create: "created", update: "updated" };

/** What is, or was, done with each record, and why. */
export function annotatePlan(plan: Plan, outcomes: readonly Outcome[] | undefined, model: StackModel): Annotate {
  const items = new Map(plan.items.map((item) => [recordKey(item.kind, item.sourceId), item]));
  const byKey = new Map(outcomes?.map((outcome) => [recordKey(outcome.kind, outcome.sourceId), outcome]));
  return ({ kind, id }) => {
    const key = recordKey(kind, id);
    const item = items.get(key);
    if (item === undefined) return undefined;
    const outcome = byKey.get(key);
    const state = stateWith(item, outcome);
    const code = outcome?.code ?? item.code ?? "";
    const why = whyOf(code, outcome?.message ?? item.message);
    return { state, badge: badge(state), why, code, note: noteOf(item, outcome, model), rank: rankOf(state) };
  };
}

/** The state of every item, those first that want a look: its action, or with outcomes, what became of it. */
export function statesOf(plan: Plan, outcomes: readonly Outcome[] | undefined): string[] {
  const byKey = new Map(outcomes?.map((outcome) => [recordKey(outcome.kind, outcome.sourceId), outcome]));
  const states = plan.items.map((item) => stateWith(item, byKey.get(recordKey(item.kind, item.sourceId))));
  return states.sort((a, b) => rankOf(a) - rankOf(b));
}

function stateWith(item: PlanItem, outcome: Outcome | undefined): string {
  if (outcome === undefined || outcome.status === "planned") return item.action;
  return outcome.status === "failed" ? "failed" : (DONE[outcome.action] ?? outcome.action);
}

function rankOf(state: string): number {
  const place = ORDER.indexOf(state);
  return place < 0 ? ORDER.length : place;
}

function whyOf(code: string, message: string | undefined): Html | undefined {
  if (code === "" && message === undefined) return undefined;
  return html`${code !== "" && html`<b>${code}</b> `}${message ?? (Object.hasOwn(WORDS, code) && WORDS[code])}`;
}

function noteOf(item: PlanItem, outcome: Outcome | undefined, model: StackModel): Html {
  const targetId = outcome?.targetId ?? item.targetId;
  return facts([
    ["On the target", targetId !== undefined && html`<code>${targetId}</code>`],
    ["Waits for", linksTo(item.dependsOn, model)],
    ["Linked afterwards to", linksTo(item.linksTo, model)],
    ["Ids rewritten in", item.rewrites.length > 0 && html`<code>${item.rewrites.join(", ")}</code>`],
  ]);
}

function linksTo(keys: readonly string[], model: StackModel): Html | false {
  if (keys.length === 0) return false;
  const links = keys.map((key) => {
    const slash = key.indexOf("/");
    return linkTo(model, key.slice(0, slash), key.slice(slash + 1));
  });
  return html`${links.map((link, index) => html`${index > 0 && ", "}${link}`)}`;
}
