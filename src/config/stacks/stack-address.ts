import { createHash } from "node:crypto";
import { StackferryError } from "../../core/errors.ts";
import type { RequestHeader } from "../../core/ports.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import type { StackSettings } from "./stack-settings.ts";
import { fileNamePart } from "../../core/text/format.ts";

const SERVICE = /^(.*)\/v1\/organizations\/([^/]+)\/services\/([^/]+)(?:\/obsstack)?$/;
const API_SUFFIX = /\/api\/v2$/;

export function isStackUrl(reference: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(reference);
}

/**
 * Errors do not quote the address, because addresses may contain passwords.
 * @throws StackferryError `config`
 */
export function parseStackUrl(address: string, label: string): StackIdentity {
  const { origin, path } = splitUrl(address, label);
  const service = SERVICE.exec(path);
  if (service !== null) {
    const [, base = "", organizationId = "", serviceId = ""] = service;
    return { variant: "managed", baseUrl: origin + base, organizationId, serviceId };
  }
  if (/\/v1\/organizations(\/|$)/.test(path)) {
    throw new StackferryError("config", `${label}: a managed stack's address is …/v1/organizations/ORG/services/SVC`, {
      hint: "a deployment with other words in its paths is described in stackferry.yaml, under segments",
    });
  }
  return { variant: "self-hosted", baseUrl: origin + path.replace(API_SUFFIX, "") };
}

export function parseBaseUrl(address: string, label: string): string {
  const { origin, path } = splitUrl(address, label);
  if (SERVICE.test(path)) {
    throw new StackferryError("config", `${label}: the address has a managed stack's path`, {
      hint: "leave /v1/organizations/… out, and give organizationId and serviceId beside it",
    });
  }
  return origin + path.replace(API_SUFFIX, "");
}

function splitUrl(address: string, label: string): { readonly origin: string; readonly path: string } {
  const addressError = (problem: string, hint: string): StackferryError =>
    new StackferryError("config", `${label}: ${problem}`, { hint });
  const shape = "write it as http://HOST:8000 or https://HOST/v1/organizations/ORG/services/SVC";
  if (!URL.canParse(address)) throw addressError("this is not an address", shape);
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw addressError("the address must begin with http:// or https://", shape);
  if (url.username !== "" || url.password !== "") {
    throw addressError(
      "the address holds a user name or password",
      "take it out: credentials come from the environment or the configuration file",
    );
  }
  if (url.search !== "" || url.hash !== "") throw addressError("the address must not have a ? or # part", shape);
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, "") };
}

/** Without a team, `parseStackUrl` accepts the result. */
export function stackAddressOf({ variant, baseUrl, organizationId, serviceId, team }: StackIdentity): string {
  if (team !== undefined) return `${baseUrl}, team ${team}`;
  return variant === "managed"
    ? `${baseUrl}/v1/organizations/${organizationId ?? "?"}/services/${serviceId ?? "?"}`
    : baseUrl;
}

/** Chooses a team on a self-hosted server with several teams. */
const TEAM_HEADER = "x-hdx-team";

/** Each team of a server is its own stack. A digest replaces the value of a secret header. */
export function withTeam(identity: StackIdentity, headers: readonly RequestHeader[]): StackIdentity {
  const header = headers.find(({ name }) => name.toLowerCase() === TEAM_HEADER);
  if (header === undefined || identity.variant !== "self-hosted") return identity;
  const { value, isSecret } = header;
  return { ...identity, team: isSecret ? createHash("sha256").update(value).digest("hex").slice(0, 16) : value };
}

export function stackNameFromAddress(identity: StackIdentity): string {
  const { host, pathname } = new URL(identity.baseUrl);
  if (identity.serviceId !== undefined) return fileNamePart(`${host}-${identity.serviceId}`) || "stack";
  const parts = [pathname.replace(/^\/+/, ""), identity.team ?? ""].filter((part) => part !== "");
  return fileNamePart([host, ...parts.map(distinctNamePart)].join("-")) || "stack";
}

/** Most file systems limit a file name to 255 bytes, so longer parts are cut. */
const MAX_READABLE = 60;

/** The digest tells apart texts that were cut or changed to fit a file name. */
export function distinctNamePart(text: string): string {
  const readable = fileNamePart(text).slice(0, MAX_READABLE);
  const digest = createHash("sha256").update(text).digest("hex");
  return readable === text ? text : fileNamePart(`${readable}-${digest.slice(0, 8)}`);
}

export function asCommandArgument({ stackName, identity }: Pick<StackSettings, "stackName" | "identity">): string {
  return stackName === stackNameFromAddress(identity) ? stackAddressOf(identity) : stackName;
}
