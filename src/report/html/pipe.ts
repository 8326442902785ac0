import { pluralize } from "../../core/text/format.ts";
import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { joinNonEmpty, objectAt, objectsAt, textAt, textsAt } from "../model/query.ts";
import { html, type Html } from "./html.ts";
import { preformatted, codeText, countText, disclosure, factList, htmlTable, type RecordContent } from "./parts.ts";
import { fitSvgText } from "./tile-drawing.ts";

/** Describes a pipe: a drawing of the way from its source to its destination with the mapping, then every other member. */
export function pipeContent({ id, body }: StackRecord): RecordContent {
  const pipe = readPipe(body);
  const { source, destination } = pipe;
  const state = textAt(body, "state");
  const rest = Object.fromEntries(Object.entries(body).filter(([member]) => !SHOWN_ABOVE.includes(member)));
  const rows = flatten(rest, "").map(([path, value]) => [html`<code>${path}</code>`, preformatted(value, "text")]);
  const mapping = pipe.mapping.map(({ from, to }) => [html`<code>${from}</code>`, html`<code>${to}</code>`]);
  return {
    about: joinNonEmpty([`${source.type} → ${destination}`, state]),
    searchTexts: [source.type, source.what, destination],
    content: [
      drawPipe(pipe),
      factList([
        ["State when read", state],
        ["Id", codeText(id)],
      ]),
      mapping.length > 0 &&
        disclosure(`${countText(mapping.length, "mapping")} in words`, htmlTable("Mapping", ["From", "To"], mapping)),
      disclosure(countText(rows.length, "setting"), htmlTable("Settings", ["Member", "Value"], rows)),
    ],
  };
}

const SHOWN_ABOVE = ["id", "name", "state", "fieldMappings"];

/** Lists every member of a value in depth, as path and text. */
function flatten(value: JsonValue | undefined, path: string): [path: string, value: string][] {
  if (value === undefined) return [];
  if (isJsonArray(value) && value.every((item) => typeof item !== "object")) return [[path, value.join(", ")]];
  if (isJsonArray(value)) return value.flatMap((item, index) => flatten(item, `${path}[${index}]`));
  if (!isJsonObject(value)) return [[path, String(value)]];
  return Object.entries(value).flatMap(([member, inner]) => flatten(inner, path === "" ? member : `${path}.${member}`));
}

interface PipeModel {
  readonly source: { readonly type: string; readonly what: string };
  /** The name `database.table`; only `database` if the pipe writes to several tables. */
  readonly destination: string;
  /** The mapping of fields, or of tables if the destination is a database. */
  readonly mapping: readonly { readonly from: string; readonly to: string }[];
}

/** By type of source: reads the name of the source, such as a topic or a path. */
const NAMED_BY: Readonly<Record<string, (body: JsonObject) => string>> = {
  kafka: (body) => textAt(body, "topics"),
  objectStorage: (body) => textAt(body, "path") || textAt(body, "url"),
  cloudstream: (body) => textAt(body, "streamName"),
  postgres: (body) => textAt(body, "database"),
};

function readPipe(body: JsonObject): PipeModel {
  const sources = objectAt(body, "source");
  const [type = "unknown", inner] = Object.entries(sources).find(([, value]) => isJsonObject(value)) ?? [];
  const source = isJsonObject(inner) ? inner : {};
  const destination = objectAt(body, "destination");
  return {
    source: { type, what: ownMember(NAMED_BY, type)?.(source) ?? textAt(source, "name") },
    destination: joinNonEmpty([textAt(destination, "database"), textAt(destination, "table")], "."),
    mapping: [...objectsAt(source, "tableMappings").map(mappedTable), ...mappedFields(body, destination)],
  };
}

function mappedTable(mapping: JsonObject): PipeModel["mapping"][number] {
  const without = textsAt(mapping, "excludedColumns");
  const from = joinNonEmpty([textAt(mapping, "sourceSchemaName"), textAt(mapping, "sourceTable")], ".");
  return {
    from: `${from}${without.length === 0 ? "" : ` without ${without.join(", ")}`}`,
    to: textAt(mapping, "targetTable"),
  };
}

function mappedFields(body: JsonObject, destination: JsonObject): PipeModel["mapping"] {
  const columns = objectsAt(destination, "columns");
  const types = new Map(columns.map((column) => [textAt(column, "name"), textAt(column, "type")]));
  return objectsAt(body, "fieldMappings").map((field) => {
    const to = textAt(field, "destinationField");
    const type = types.get(to);
    return { from: textAt(field, "sourceField"), to: type === undefined ? to : `${to}: ${type}` };
  });
}

const WIDTH = 720;
const BOX = 270;
const HEAD = 58;
const STEP = 24;
/** Maximum number of fields in the drawing of a mapping; the table below the drawing has all of them. */
const MAX_FIELDS = 30;

/** Draws a pipe from its source to its destination, with a line for each field or table of the mapping. */
function drawPipe(pipe: PipeModel): Html {
  const { source, destination } = pipe;
  const mapped = pipe.mapping.slice(0, MAX_FIELDS);
  const height = HEAD + mapped.length * STEP + 10;
  const right = WIDTH - BOX - 1;
  const label = `From ${source.type} ${source.what} to ${destination}, ${pluralize(pipe.mapping.length, "mapped item")}`;
  const row = (index: number): number => HEAD + index * STEP + 12;
  return html`<div class="grid narrow">
    <svg class="pipe" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
      <rect class="b" x="1" y="1" width="${BOX}" height="${height - 2}" rx="6" />
      <rect class="b" x="${right}" y="1" width="${BOX}" height="${height - 2}" rx="6" />
      <text class="s" x="14" y="21">from ${fitSvgText(source.type, 200, 12)}</text>
      <text class="n" x="14" y="42">${fitSvgText(source.what, BOX - 28, 14)}</text>
      <text class="s" x="${right + 13}" y="21">into</text>
      <text class="n" x="${right + 13}" y="42">${fitSvgText(destination, BOX - 28, 14)}</text>
      <path class="arc" d="M${BOX + 6} 30H${right - 14}" />
      <path class="tip" d="M${right - 4} 30l-11-5v10z" />
      ${mapped.map(
        ({ from, to }, index) =>
          html`<text class="s" x="14" y="${row(index) + 4}">${fitSvgText(from, BOX - 28, 12)}</text
            ><circle class="dot" cx="${BOX + 1}" cy="${row(index)}" r="3" /><path
              class="wire"
              d="M${BOX + 4} ${row(index)}H${right - 3}"
            /><circle class="dot" cx="${right}" cy="${row(index)}" r="3" /><text
              class="s"
              x="${right + 13}"
              y="${row(index) + 4}"
              >${fitSvgText(to, BOX - 28, 12)}</text
            >`,
      )}
    </svg>
  </div>`;
}
