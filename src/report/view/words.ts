import type { KindName, StackIdentity } from "../../core/records/record.ts";
import { upperFirst } from "../../core/text/format.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import type { TileModel } from "../model/dashboard.ts";

export function nameOrId(name: string, id: string): string {
  return name.trim() === "" ? `(no name) ${id}` : name;
}

export function kindTitle(kind: KindName): string {
  return upperFirst(pluralOf(kind));
}

const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;

/** Any other text stays as it is. */
export function timeText(moment: string): string {
  return moment.replace(TIME, "$1 $2 UTC");
}

export function minuteText(moment: string): string {
  return timeText(moment).replace(/:\d{2} UTC$/, " UTC");
}

export function addressInWords({ variant, baseUrl, organizationId, serviceId, team }: StackIdentity): string {
  if (team !== undefined) return `${baseUrl}, team ${team}`;
  return variant === "managed"
    ? `${baseUrl}, organization ${organizationId ?? "?"}, service ${serviceId ?? "?"}`
    : baseUrl;
}

export function tileTypeName({ type, isSql }: Pick<TileModel, "type" | "isSql">): string {
  return isSql ? `${type}, SQL` : type;
}
