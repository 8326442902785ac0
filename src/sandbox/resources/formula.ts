/** What is wrong with a formula over so many series, in the server's words; nothing where it is fine. */
export function formulaFault(expression: string, seriesCount: number): string | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|[A-Za-z]+|\S/g) ?? [];
  let at = 0;
  const peek = (): string | undefined => tokens[at];
  const operand = (): string | undefined => {
    const token = tokens[at++];
    if (token === undefined) return "Unexpected end of expression";
    if (token === "-" || token === "+") return operand();
    if (token === "(") return sum() ?? (tokens[at++] === ")" ? undefined : "Expected closing parenthesis");
    if (/^\d/.test(token)) return undefined;
    if (!/^[A-Za-z]+$/.test(token)) return `Unexpected token "${token}"`;
    return seriesFault(token, seriesCount);
  };
  const sum = (): string | undefined => {
    let fault = operand();
    while (fault === undefined && /^[-+*/%]$/.test(peek() ?? "")) {
      at += 1;
      fault = operand();
    }
    return fault;
  };
  return sum() ?? (at < tokens.length ? `Unexpected token "${String(peek())}"` : undefined);
}

function seriesFault(name: string, seriesCount: number): string | undefined {
  const index = name.length === 1 ? name.charCodeAt(0) - "A".charCodeAt(0) : -1;
  if (index >= 0 && index < seriesCount) return undefined;
  const last = String.fromCharCode("A".charCodeAt(0) + seriesCount - 1);
  return `Unknown series "${name}" — this chart only has series A through ${last}`;
}
