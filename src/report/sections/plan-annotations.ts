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
    return { state, badge: badge(state), note: noteOf(item, outcome, model), rank: rankOf(state) };
  };
}

/** The state of every item, in the order of the plan: its action, or with outcomes, what became of it. */
export function statesOf(plan: Plan, outcomes: readonly Outcome[] | undefined): string[] {
  const byKey = new Map(outcomes?.map((outcome) => [recordKey(outcome.kind, outcome.sourceId), outcome]));
  return plan.items.map((item) => stateWith(item, byKey.get(recordKey(item.kind, item.sourceId))));
}

function stateWith(item: PlanItem, outcome: Outcome | undefined): string {
  if (outcome === undefined || outcome.status === "planned") return item.action;
  return outcome.status === "failed" ? "failed" : (DONE[outcome.action] ?? outcome.action);
}

function rankOf(state: string): number {
  const place = ORDER.indexOf(state);
  return place < 0 ? ORDER.length : place;
}

function noteOf(item: PlanItem, outcome: Outcome | undefined, model: StackModel): Html {
  const code = outcome?.code ?? item.code;
  const message = outcome?.message ?? item.message;
  const targetId = outcome?.targetId ?? item.targetId;
  const bad = item.action === "blocked" || outcome?.status === "failed";
  const why =
    (code !== undefined || message !== undefined) &&
    html`<p class="note ${bad ? "badnote" : ""}">${code !== undefined && html`<b>${code}</b> `}${message}</p>`;
  return html`${why}${facts([
    ["On the target", targetId !== undefined && html`<code>${targetId}</code>`],
    ["Waits for", linksTo(item.dependsOn, model)],
    ["Linked afterwards to", linksTo(item.linksTo, model)],
    ["Ids rewritten in", item.rewrites.length > 0 && html`<code>${item.rewrites.join(", ")}</code>`],
  ])}`;
}

function linksTo(keys: readonly string[], model: StackModel): Html | false {
  if (keys.length === 0) return false;
  const links = keys.map((key) => {
    const slash = key.indexOf("/");
    return linkTo(model, key.slice(0, slash), key.slice(slash + 1));
  });
  return html`${links.map((link, index) => html`${index > 0 && ", "}${link}`)}`;
}
