import type { z } from "zod";
import { addMistake } from "../schema.ts";
import { isObject, type JsonObject } from "../store.ts";

/** Returns the server's message for a faulty formula over `seriesCount` series; undefined for a valid formula. */
function findFormulaMistake(expression: string, seriesCount: number): string | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|[A-Za-z]+|\S/g) ?? [];
  let position = 0;
  const peek = (): string | undefined => tokens[position];
  const operand = (): string | undefined => {
    const token = tokens[position++];
    if (token === undefined) return "Unexpected end of expression";
    if (token === "-" || token === "+") return operand();
    if (token === "(") return sum() ?? (tokens[position++] === ")" ? undefined : "Expected closing parenthesis");
    if (/^\d/.test(token)) return undefined;
    if (!/^[A-Za-z]+$/.test(token)) return `Unexpected token "${token}"`;
    return seriesFault(token, seriesCount);
  };
  const sum = (): string | undefined => {
    let mistake = operand();
    while (mistake === undefined && /^[-+*/%]$/.test(peek() ?? "")) {
      position += 1;
      mistake = operand();
    }
    return mistake;
  };
  return sum() ?? (position < tokens.length ? `Unexpected token "${String(peek())}"` : undefined);
}

function seriesFault(name: string, seriesCount: number): string | undefined {
  const index = name.length === 1 ? name.charCodeAt(0) - "A".charCodeAt(0) : -1;
  if (index >= 0 && index < seriesCount) return undefined;
  const lastLetter = String.fromCharCode("A".charCodeAt(0) + seriesCount - 1);
  return `Unknown series "${name}" — this chart only has series A through ${lastLetter}`;
}

const TOO_MANY =
  "Number tiles support a single select item unless formulas are used (extra items are formula operands)";
const NO_RATIO = 'formulas cannot be combined with asRatio; express the ratio as a formula instead (e.g. "A / B")';

/** Checks the series of a tile against the tile's formulas and ratio (docs/api.md#dashboard-members). */
export function checkSeries(config: JsonObject, context: z.RefinementCtx): void {
  const { configType, displayType, select, formulas, asRatio } = config;
  if (configType === "sql" || !Array.isArray(select)) return;
  const report = (path: (string | number)[], message: string): void => addMistake(context, path, message);
  const formulaObjects = Array.isArray(formulas) ? formulas.filter(isObject) : [];
  if (asRatio === true && formulaObjects.length > 0) report(["formulas"], NO_RATIO);
  else if (asRatio === true && select.length !== 2) {
    report([], "asRatio can only be used with exactly two select items");
  }
  if (displayType === "number") {
    if (formulaObjects.length > 1) report(["formulas"], "Number charts support a single formula");
    if (formulaObjects.length === 0 && select.length > 1) report(["select"], TOO_MANY);
  }
  for (const [index, { expression }] of formulaObjects.entries()) {
    const formulaMistake = findFormulaMistake(String(expression), select.length);
    if (formulaMistake !== undefined) report(["formulas", index, "expression"], formulaMistake);
  }
}
