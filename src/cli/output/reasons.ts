import { groupBy } from "../../core/collections.ts";
import type { Outcome } from "../../core/outcome.ts";
import { nameOrId } from "../../core/outcome.ts";
import { pluralize, joinNames } from "../../core/text/plural.ts";
import { printable } from "../../core/text/printable.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { inKindOrder } from "../../kinds/registry.ts";
import { fit } from "../../core/text/fit.ts";
import type { OutputOptions } from "./terminal/theme.ts";

/** Names shown per kind and reason; `--verbose` and `--json` have all of them. */
const MAX_NAMES_SHOWN = 5;

/** Maximum width of a name; the table above shows more of it. */
const NAME_WIDTH = 60;

type Explained = Pick<Outcome, "kind" | "name" | "displayName" | "sourceId" | "code" | "message">;

/** Each reason once, and below it the records that it applies to, such as a missing record and the alerts that need it. */
export function reasonLines(records: readonly Explained[], mark: string, { verbose = false }: OutputOptions): string {
  const explained = inKindOrder(
    records.filter(({ message }) => message !== undefined),
    ({ kind }) => kind,
  );
  const reasons = groupBy(explained, ({ code, message }) => `${code ?? "blocked"}: ${message ?? ""}`);
  return [...reasons]
    .map(([reason, of]) => {
      const kinds = [...groupBy(of, ({ kind }) => kind).values()];
      const who = kinds.map((own) => `    ${printable(namesOf(own, verbose ? own.length : MAX_NAMES_SHOWN))}\n`);
      return `${mark} ${printable(reason)}\n${who.join("")}`;
    })
    .join("");
}

/** `7 alerts: A, B, C, D, E and 2 more`. */
function namesOf(records: readonly Explained[], most: number): string {
  const [{ kind } = { kind: "" }] = records;
  const names = joinNames(records, most, (record) => fit(nameOrId(record), NAME_WIDTH));
  return `${pluralize(records.length, nounOf(kind))}: ${names}`;
}
