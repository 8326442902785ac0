import type { SourceModel } from "../model/source.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { visible } from "../visible.ts";
import { fitText } from "./fit-text.ts";

/** More than this, and a drawing of who refers to whom is a knot: the list says it better. */
const MOST = 24;
const STEP = 34;
const NAMES = 300;
const WIDTH = 560;

/** How the sources refer to each other: names in a column, an arc for each reference. */
export function drawSourceMap(sources: readonly SourceModel[]): Html | false {
  const place = new Map(sources.map(({ id }, index) => [id, index]));
  const arcs = sources.flatMap(({ refersTo }, from) =>
    refersTo.flatMap(({ id }) => {
      const to = place.get(id);
      return to === undefined || to === from ? [] : [{ from, to }];
    }),
  );
  if (arcs.length === 0 || sources.length > MOST) return false;
  const label = "Which sources refer to which; the list below says the same";
  return html`<div class="grid narrow" role="group" tabindex="0" aria-label="${label}">
    <svg class="map" viewBox="0 0 ${WIDTH} ${sources.length * STEP + 8}" role="img" aria-label="${label}">
      ${sources.map(
        ({ name, id, kind }, index) =>
          html`<rect class="b" x="1" y="${index * STEP + 4}" width="${NAMES}" height="26" rx="5" /><text
              class="n"
              x="12"
              y="${index * STEP + 22}"
              >${fitText(visible(name || id), 180, 14)}</text
            ><text class="c" x="${NAMES - 10}" y="${index * STEP + 22}">${fitText(visible(kind), 80, 12)}</text>`,
      )}${arcs.map(({ from, to }) => arc(from, to))}
    </svg>
  </div>`;
}

/** Arcs leave below the middle of a name and arrive above it, so that two that refer to each other can be told apart. */
function arc(from: number, to: number): Html {
  const start = from * STEP + 22;
  const end = to * STEP + 12;
  const reach = Math.min(WIDTH - 8, NAMES + 30 + 26 * Math.abs(to - from));
  return html`<path
      class="arc"
      d="M${NAMES + 2} ${start}C${reach} ${start} ${reach} ${end} ${NAMES + 12} ${end}"
    /><path class="tip" d="M${NAMES + 2} ${end}l10-4.5v9z" />`;
}
