import type { Outcome } from "../../core/outcome.ts";
import { isLeftAlone } from "../../core/outcome.ts";
import type { Adaptation, MappedMember, Plan, PlanItem } from "../../core/plan.ts";
import { someCandidates } from "../../core/plan.ts";
import { recordKey } from "../../core/record.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import type { StackModel } from "../model/stack.ts";
import { badge, counted, facts, isShort, linkTo, nameOr, section, table } from "../page/parts.ts";
import { extraItem } from "../page/record-item.ts";
import type { Annotate } from "./records.ts";

/** Those that want a look come first. */
const ORDER = ["failed", "blocked", "create", "created", "update", "updated", "skip", "matched", "unchanged"];
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
  // What was only looked up was not left alone: nobody asked for it to be written.
  if (item.action === "skip" && item.code === "matched") return "matched";
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
  const called = item.action === "update" ? "Name that is overwritten" : "Name on the target";
  return facts([
    ["On the target", targetId !== undefined && html`<code>${targetId}</code>`],
    [called, item.targetName],
    ["Changed since at the source", item.since?.source.join(", ")],
    ["Changed since on the target", item.since?.target.join(", ")],
    ["The map file gives", item.mapped !== undefined && mappedNote(item.mapped)],
    ["Waits for", linksTo(item.dependsOn, model)],
    ["Linked afterwards to", linksTo(item.linksTo, model)],
    ["Changed on the way", changesOf(item.transformed)],
    ["Adapted", changesOf(item.adaptations)],
    ["Ids rewritten in", item.rewrites.length > 0 && html`<code>${item.rewrites.join(", ")}</code>`],
  ]);
}

function mappedNote(mapped: readonly MappedMember[]): Html {
  return html`${mapped.map(
    ({ member, from, to }, index) =>
      html`${index > 0 && ", "}${member}
        <code>${to}</code>${from !== undefined && html` in place of <code>${from}</code>`}`,
  )}`;
}

/** What is written in another form than the archive has. */
function changesOf(changes: readonly Adaptation[] = []): Html | false {
  if (changes.length === 0) return false;
  const items = changes.map(({ pointer, change }) => html`<li><code>${pointer}</code> ${change}</li>`);
  return html`<ul class="plain">
    ${items}
  </ul>`;
}

function linksTo(keys: readonly string[], model: StackModel): Html | false {
  if (keys.length === 0) return false;
  const links = keys.map((key) => {
    const slash = key.indexOf("/");
    return linkTo(model, key.slice(0, slash), key.slice(slash + 1));
  });
  return html`${links.map((link, index) => html`${index > 0 && ", "}${link}`)}`;
}

/** How a match was found, in words. A rule that is not here is shown by its name. */
const RULES: Readonly<Record<string, string>> = {
  "map-file": "the map file says so",
  memory: "an earlier import has matched or written it",
  "same-id": "the same id",
  "natural-key": "the same name and content",
  inferred: "inferred from records that were matched",
  default: "the default that was named",
  "in-use": "the target's records use it",
};

/** What could not be matched, with what it could be: the lines of a map file. */
export function unresolvedSection({ unresolved }: Plan): Html | false {
  if (unresolved.length === 0) return false;
  const items = unresolved.map((entry) => {
    const { space, id, name, reason, candidates, neededBy } = entry;
    const why = {
      missing: "nothing on the target is it",
      ambiguous: "several on the target could be it",
      dead: "the archive does not have it either",
    }[reason];
    const { some, more } = someCandidates(entry);
    const choices = some.map(({ id: other, name: otherName }) => html`<li>${named(otherName, other)}</li>`);
    return html`<div class="note badnote">
      <b>${nounOf(space)} ${nameOr(name, id)}</b>: ${why}; ${counted(neededBy, "record")} blocked by it. Id
      <code>${id}</code>${
        choices.length > 0 &&
        html`<details>
          <summary>${counted(candidates.length, "candidate")}</summary>
          <ul class="plain">
            ${choices}${more > 0 && html`<li>and ${more} more</li>`}
          </ul>
        </details>`
      }
    </div>`;
  });
  return html`<section aria-labelledby="h-unresolved">
    <h2 id="h-unresolved">Not matched <span class="count">${unresolved.length}</span></h2>
    <p class="soft">
      Name these in a map file (<code>--write-map map.yaml</code> drafts one) and import with
      <code>--map map.yaml</code>.
    </p>
    ${items}
  </section>`;
}

/** The secrets that a fill file has to supply, each with what stands around it. */
export function toFillSection({ toFill }: Plan, model: StackModel): Html | false {
  if (toFill.length === 0) return false;
  const rows = toFill.map(({ key, pointer, rules, around }) => [
    linksTo([key], model),
    html`<code>${pointer}</code>`,
    rules.join(", "),
    html`${around.map((text) => html`<code>${text}</code> `)}`,
  ]);
  const content = extraItem({
    kind: "to-fill",
    called: "the secrets to supply",
    title: "Secrets to supply",
    about: "--write-fill drafts a file, --fill uses it",
    find: toFill.map(({ name }) => name).join(" "),
    open: isShort(rows),
    content: table("Secrets to supply", ["Record", "Member", "What it is", "What stands around it"], rows),
  });
  return section("to-fill", "Secrets to supply", toFill.length, content);
}

/** What was, or would be, left alone though the archive has it, by name and reason. */
export function leftAloneSection({ items }: Plan): Html | false {
  const left = items.filter(isLeftAlone);
  if (left.length === 0) return false;
  const rows = left.map(({ kind, name, sourceId, code, message }) => [
    nounOf(kind),
    nameOr(name, sourceId),
    code === "exists" ? "it differs on the target; --on-conflict update overwrites it" : (message ?? code ?? ""),
  ]);
  const content = extraItem({
    kind: "left-alone",
    called: "what is left alone",
    title: "Left alone",
    about: "not written, though the archive has it",
    find: left.map(({ name }) => name).join(" "),
    open: isShort(rows),
    content: table("Left alone", ["What", "Name", "Why"], rows),
  });
  return section("left-alone", "Left alone", left.length, content);
}

/** What of the archive is what on the target. */
export function matchSection({ matches }: Plan, model: StackModel): Html | false {
  const whole = matches.filter(({ space }) => !space.includes("/"));
  if (whole.length === 0) return false;
  const rows = whole.map(({ space, from, to, name, targetName, rule, unverified }) => [
    nounOf(space),
    model.find(space, from) === undefined ? named(name, from) : linkTo(model, space, from),
    named(targetName, to),
    `${Object.hasOwn(RULES, rule) ? RULES[rule] : rule}${unverified === true ? "; not verified, as the target has no list of them" : ""}`,
  ]);
  const find = whole.map(({ name, targetName }) => `${name} ${targetName}`).join(" ");
  const content = extraItem({
    kind: "matches",
    called: "the matches",
    title: "Matches",
    about: "recognised on the target",
    find,
    open: isShort(rows),
    content: table("Matches", ["What", "In the archive", "On the target", "Recognised by"], rows),
  });
  return section("matches", "What maps to what", whole.length, content);
}

/** A name and an id; things without names of their own are called by their id, once. */
function named(name: string, id: string): Html {
  return name.trim() === "" || name === id ? html`<code>${id}</code>` : html`${name} <code>${id}</code>`;
}
