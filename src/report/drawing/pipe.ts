import type { Html } from "../html.ts";
import { visible } from "../../core/text/printable.ts";
import { html } from "../html.ts";
import type { PipeModel } from "../model/pipe.ts";
import { fitText } from "./units.ts";

const WIDTH = 720;
const BOX = 270;
const HEAD = 58;
const STEP = 24;
/** A mapping of more fields is told in the list below the drawing. */
const MOST_FIELDS = 30;

/** A pipe from its source to its destination, with a line for each field or table that it maps. */
export function drawPipe(pipe: PipeModel): Html {
  const { source, destination } = pipe;
  const mapped = pipe.mapping.slice(0, MOST_FIELDS);
  const height = HEAD + mapped.length * STEP + 10;
  const right = WIDTH - BOX - 1;
  const label = `From ${source.type} ${source.what} to ${destination}, ${pipe.mapping.length} mapped`;
  const row = (index: number): number => HEAD + index * STEP + 12;
  return html`<div class="grid narrow">
    <svg class="pipe" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
      <rect class="b" x="1" y="1" width="${BOX}" height="${height - 2}" rx="6" />
      <rect class="b" x="${right}" y="1" width="${BOX}" height="${height - 2}" rx="6" />
      <text class="s" x="14" y="21">from ${fitText(visible(source.type), 200, 12)}</text>
      <text class="n" x="14" y="42">${fitText(visible(source.what), BOX - 28, 14)}</text>
      <text class="s" x="${right + 13}" y="21">into</text>
      <text class="n" x="${right + 13}" y="42">${fitText(visible(destination), BOX - 28, 14)}</text>
      <path class="arc" d="M${BOX + 6} 30H${right - 14}" />
      <path class="tip" d="M${right - 4} 30l-11-5v10z" />
      ${mapped.map(
        ({ from, to }, index) =>
          html`<text class="s" x="14" y="${row(index) + 4}">${fitText(visible(from), BOX - 28, 12)}</text
            ><circle class="dot" cx="${BOX + 1}" cy="${row(index)}" r="3" /><path
              class="wire"
              d="M${BOX + 4} ${row(index)}H${right - 3}"
            /><circle class="dot" cx="${right}" cy="${row(index)}" r="3" /><text
              class="s"
              x="${right + 13}"
              y="${row(index) + 4}"
              >${fitText(visible(to), BOX - 28, 12)}</text
            >`,
      )}
    </svg>
  </div>`;
}
