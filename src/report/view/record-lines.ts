import { fitText } from "../../core/text/fit-width.ts";
import { joinNames, pluralize } from "../../core/text/format.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { type Line, type RecordBlock, type RecordGroup, type RecordItem } from "../document.ts";
import { groupByKind } from "./outcomes.ts";

const MAX_NAMES = 20;
const MAX_NAME_WIDTH = 60;

export function recordLines(block: RecordBlock, isVerbose: boolean): Line[] {
  const whole = isVerbose || block.isWhole === true;
  return block.groups.flatMap((group) => groupLines(group, { ...block, whole }));
}

interface RecordStyle extends Pick<RecordBlock, "mark" | "word"> {
  readonly whole: boolean;
}

function groupLines({ code, reason = "", remedy, records }: RecordGroup, style: RecordStyle): Line[] {
  const why = reason === "" ? "" : `: ${reason}${code === undefined ? "" : ` (${code})`}`;
  const hasDetails = ({ lines, more = "" }: RecordItem): boolean => lines.length > 0 || more !== "";
  const detailed = records.filter(hasDetails).map((item) => lineOfOne(item, why, style));
  const plain = plainLines(
    records.filter((item) => !hasDetails(item)),
    why,
    style,
  );
  return [...detailed, ...plain, ...(remedy === undefined ? [] : [{ mark: "→", words: remedy } as const])];
}

function lineOfOne(
  { kind, name, more = "", lines }: RecordItem,
  why: string,
  { mark, word, whole }: RecordStyle,
): Line {
  const shown = whole ? name : fitText(name, MAX_NAME_WIDTH);
  return { mark, words: `${word} ${nounOf(kind)} "${shown}"${more}${why}`, inner: lines };
}

function plainLines(records: readonly RecordItem[], why: string, style: RecordStyle): Line[] {
  const { mark, word, whole } = style;
  const [first] = records;
  if (first === undefined) return [];
  if (records.length === 1) return [lineOfOne(first, why, style)];
  const byKind = groupByKind(records);
  if (why === "" && byKind.length > 1) return byKind.flatMap(([, items]) => plainLines(items, why, style));
  const kinds = byKind.map(([kind, items]) => ({
    count: pluralize(items.length, nounOf(kind)),
    names: joinNames(items, whole ? items.length : MAX_NAMES, ({ name }) =>
      whole ? name : fitText(name, MAX_NAME_WIDTH),
    ),
  }));
  if (why === "") return kinds.map(({ count, names }): Line => ({ mark, words: `${word} ${count}: ${names}` }));
  const inner = kinds.map(({ count, names }): Line => ({
    mark: "",
    words: kinds.length === 1 ? names : `${count}: ${names}`,
  }));
  return [{ mark, words: `${word} ${kinds.map(({ count }) => count).join(", ")}${why}`, inner }];
}
