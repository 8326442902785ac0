/** Where a page lies in its list. */
interface Page {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** What a handler answers, before the variant puts it into its envelope. */
export type Reply =
  | { readonly is: "record"; readonly record: unknown }
  | { readonly is: "list"; readonly records: readonly unknown[]; readonly page?: Page }
  | { readonly is: "deleted" }
  | { readonly is: "verdict"; readonly verdict: unknown };

/** What goes over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const CONTENT_TYPES = {
  json: "application/json; charset=utf-8",
  text: "text/plain; charset=utf-8",
  html: "text/html; charset=utf-8",
} as const;

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "Content-Type": CONTENT_TYPES.json, ...headers }, body: JSON.stringify(body) };
}
