import type { Html } from "../html.ts";
import { html, visible } from "../html.ts";
import type { SourceModel } from "../model/source.ts";
import { fitText, round } from "./units.ts";

/** More than this, and a drawing of who refers to whom is a knot: the list says it better. */
const MOST = 24;
const BOX = 42;
const STEP = 54;
const NAMES = 230;
/** How far the handles of an arc reach out, and how much farther the more names it passes: never so far as to leave a telephone. */
const NEAR = 44;
const FARTHER = 34;
const FARTHEST = 180;

interface Reference {
  readonly from: number;
  readonly to: number;
}

/** How the sources refer to each other: names in a column, an arc for each reference. */
export function drawSourceMap(sources: readonly SourceModel[]): Html | false {
  const place = new Map(sources.map(({ id }, index) => [id, index]));
  const references = sources.flatMap(({ refersTo }, from) =>
    refersTo.flatMap(({ id }): Reference[] => {
      const to = place.get(id);
      return to === undefined || to === from ? [] : [{ from, to }];
    }),
  );
  if (references.length === 0 || sources.length > MOST) return false;
  const farther = Math.min(FARTHER, FARTHEST / (sources.length - 1));
  const reachOf = (reference: Reference): number =>
    NEAR + farther * Math.abs(reference.to - reference.from) + (isOuter(reference) ? 14 : 0);
  const reach = Math.max(...references.map(reachOf));
  // Of a curve with both handles that far out, the farthest point is three quarters of the way.
  const width = NAMES + Math.ceil(0.75 * reach) + 16;
  const label = "Drawing of which sources refer to which; the list below says the same";
  return html`<div class="grid narrow" role="group" tabindex="0" aria-label="${label}">
      <svg
        class="map"
        width="${width}"
        viewBox="0 0 ${width} ${sources.length * STEP - STEP + BOX + 4}"
        role="img"
        aria-label="${label}"
      >
        ${sources.map((source, index) => box(source, index))}${references.map((reference) => arc(reference, reachOf(reference), references))}
      </svg>
    </div>
    <p class="soft">An arrow leads from a source to one that it refers to.</p>`;
}

function box({ name, id, kind }: SourceModel, index: number): Html {
  const top = index * STEP + 2;
  return html`<rect class="b" x="1" y="${top}" width="${NAMES}" height="${BOX}" rx="6" /><text
      class="n"
      x="14"
      y="${top + 19}"
      >${fitText(visible(name || id), NAMES - 28, 14)}</text
    ><text class="s" x="14" y="${top + 34}">${fitText(visible(kind), NAMES - 28, 11.5)}</text>`;
}

function arc(reference: Reference, reach: number, all: readonly Reference[]): Html {
  const { from, to } = reference;
  const start = portOf(from, reference, all);
  const end = portOf(to, reference, all);
  const x = NAMES + 2;
  const out = round(x + reach);
  return html`<path class="arc" d="M${x} ${start}C${out} ${start} ${out} ${end} ${x + 9} ${end}" /><path
      class="tip"
      d="M${x} ${end}l10-4.5v9z"
    />`;
}

/** Of two names that refer to each other, the arc downwards goes around the one upwards. */
function isOuter({ from, to }: Reference): boolean {
  return from < to;
}

/**
 * Where an arc meets a name: every arc has a place of its own, ordered so that they do not cross more than they must. Of those
 * to names above, the nearest is uppermost; of those to names below, the farthest.
 */
function portOf(index: number, reference: Reference, all: readonly Reference[]): number {
  const otherOf = ({ from, to }: Reference): number => (from === index ? to : from);
  const rank = (each: Reference): number => {
    const away = otherOf(each) - index;
    const outer = isOuter(each) ? 0.25 : -0.25;
    return away < 0 ? -1000 - away + outer : 1000 - away - outer;
  };
  const ports = all.filter(({ from, to }) => from === index || to === index).sort((a, b) => rank(a) - rank(b));
  return round(index * STEP + 2 + (BOX * (ports.indexOf(reference) + 1)) / (ports.length + 1));
}
