import { html } from "../html.ts";
import type { Html, Part } from "../html.ts";

/** More rows than this are shown when asked for. */
const SHORT = 12;

/** Whether a table is short enough to be seen at once. */
export function isShort(rows: readonly unknown[]): boolean {
  return rows.length <= SHORT;
}

/** A table that scrolls by itself where it is too wide; on a narrow page its rows are stacked, each cell with its title. */
export function table(caption: string, titles: readonly string[], rows: readonly (readonly Part[])[]): Html {
  return html`<div class="scroll" role="group" tabindex="0" aria-label="${caption}">
    <table>
      <thead>
        <tr>
          ${titles.map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, index) => cellOf(cell, index === 0 ? "" : (titles[index] ?? "")))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function cellOf(cell: Part, title: string): Html {
  const nothing = cell === "" || cell === undefined || cell === false;
  return nothing || title === "" ? html`<td>${cell}</td>` : html`<td data-title="${title}">${cell}</td>`;
}
