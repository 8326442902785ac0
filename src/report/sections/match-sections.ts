import type { Plan } from "../../domain/plan.ts";
import { someCandidates } from "../../domain/some-candidates.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import type { StackModel } from "../model/stack-model.ts";
import { counted, linkTo, nameOr, section } from "../page/parts.ts";
import { extraItem } from "../page/record-item.ts";
import { isShort, table } from "../page/table.ts";

/** How a match was found, in words. A rule that is not here is shown by its name. */
const RULES: Readonly<Record<string, string>> = {
  "map-file": "the map file says so",
  "same-id": "the same id",
  "natural-key": "the same name and content",
  learned: "learned from records that were matched",
  default: "the default that was named",
  "in-use": "the target's records use it",
};

/** What could not be matched, with what it could be: the lines of a map file. */
export function unresolvedSection({ unresolved }: Plan): Html | false {
  if (unresolved.length === 0) return false;
  const items = unresolved.map((entry) => {
    const { space, id, name, reason, candidates, neededBy } = entry;
    const why = reason === "missing" ? "nothing on the target is it" : "several on the target could be it";
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

/** What of the archive is what on the target. */
export function matchSection({ matches }: Plan, model: StackModel): Html | false {
  const whole = matches.filter(({ space }) => !space.includes("/"));
  if (whole.length === 0) return false;
  const rows = whole.map(({ space, from, to, name, targetName, rule }) => [
    nounOf(space),
    model.find(space, from) === undefined ? named(name, from) : linkTo(model, space, from),
    named(targetName, to),
    Object.hasOwn(RULES, rule) ? RULES[rule] : rule,
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
