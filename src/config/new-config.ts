import type { Variant } from "../core/records/record.ts";
import { quoted } from "./yaml.ts";

/** A stack for a configuration file that is made anew. */
export interface NewStack {
  readonly name: string;
  readonly variant: Variant;
  readonly baseUrl: string;
  /** Of a managed stack. */
  readonly service?: { readonly organizationId: string; readonly serviceId: string };
  /** By member: `${env:NAME}` or `${file:PATH}`, never a key itself. */
  readonly keys: Readonly<Record<string, string>>;
  readonly caFile?: string;
  readonly allowHttp?: boolean;
}

const HEADER = `# Stacks by name: stackferry export --from NAME. Keys stay in variables and files, so this file can be kept in git.
# stackferry config schema prints all that may stand here.
`;

/** The text of a configuration file with one stack. */
export function formatNewConfig({ name, service, keys, ...rest }: NewStack): string {
  const members = Object.entries({ ...rest, ...service, ...keys });
  const lines = members.map(([member, value]) => {
    return `    ${member}: ${typeof value === "string" ? quoted(value) : String(value)}\n`;
  });
  return `${HEADER}stacks:\n  ${quoted(name)}:\n${lines.join("")}`;
}
