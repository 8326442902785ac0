import { isScalar, parseDocument, visit, type Document, type Scalar } from "yaml";
import { closestName } from "../../core/text/similarity.ts";

/** Must not contain a secret, because plans show the values. */
export type CodeValues = Readonly<Record<string, string | number | boolean>>;

export interface FilledScalar {
  readonly scalar: Scalar;
  readonly text: string;
  readonly value: unknown;
}

/** `$${value:` stands for the text `${value:`. */
const PLACEHOLDER = /\$\$\{value:|\$\{value:(?:([^}]*)\})?/g;
const NAME = /^([A-Za-z_][\w.-]*?)(?::-(.*))?$/s;

/** Changes `document`. A scalar that is one placeholder takes the type of its value. */
export function fillValues(document: Document.Parsed, values: CodeValues) {
  const filled: FilledScalar[] = [];
  const problems: { readonly offset: number; readonly message: string }[] = [];
  visit(document, {
    Scalar: (_, scalar) => {
      const { value: text } = scalar;
      if (typeof text !== "string" || !text.includes("${value:")) return;
      const offset = scalar.range?.[0] ?? 0;
      const value = fillText(text, values, (message) => problems.push({ offset, message }));
      filled.push({ scalar, text, value });
      scalar.value = value;
    },
  });
  return { filled, problems };
}

function fillText(text: string, values: CodeValues, report: (message: string) => void): unknown {
  const valueOf = (placeholder: string, inner: string, read: (fallback: string) => unknown): unknown => {
    const [, name, fallback] = NAME.exec(inner) ?? [];
    if (name === undefined) {
      report(`${placeholder} is not a placeholder: write \${value:NAME} or \${value:NAME:-default}`);
      return placeholder;
    }
    if (Object.hasOwn(values, name)) return values[name];
    if (fallback !== undefined) return read(fallback);
    const closest = closestName(name, Object.keys(values));
    const hint = closest === undefined ? "give it in stacks.STACK.values or with --values" : `did you mean ${closest}?`;
    report(`there is no value "${name}": ${hint}`);
    return placeholder;
  };
  const whole = /^\$\{value:([^}]*)\}$/.exec(text);
  if (whole !== null) return valueOf(text, whole[1] ?? "", scalarOf);
  // A default inside a longer text stays text: 1.10 must not become the number 1.1.
  return text.replaceAll(PLACEHOLDER, (placeholder, inner: string | undefined) =>
    placeholder.startsWith("$$") ? placeholder.slice(1) : String(valueOf(placeholder, inner ?? "", (same) => same)),
  );
}

function scalarOf(text: string): unknown {
  const { contents, errors } = parseDocument(text, { version: "1.2" });
  return errors.length === 0 && isScalar(contents) && typeof contents.value !== "object" ? contents.value : text;
}

export function escapeValue(text: string): string {
  return text.includes("${value:") ? text.replaceAll("${value:", () => "$${value:") : text;
}
