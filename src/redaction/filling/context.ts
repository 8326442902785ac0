import { createHash } from "node:crypto";
import { byCodeUnit } from "../../core/collections.ts";
import { compactJson, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { valueAtTokens, withoutPath } from "../../core/records/member-path.ts";
import type { WriteOnlyField, ResourceKind } from "../../core/resource-kind.ts";

/** At this length, nobody can construct another text with the same digest. */
const DIGITS = 24;

const MAX_HOST_LENGTH = 253;

export function isAddress(text: string): boolean {
  if (/:\/\/|^\/\//.test(text)) return true;
  return text.length <= MAX_HOST_LENGTH && /^[^\s/]+\.\S+$|^[^\s/:]+:\d/.test(text);
}

/** A secret from a secrets file is used only in the context of its draft. */
export function placeContext(kind: ResourceKind, body: JsonObject, tokens: readonly string[]): string {
  const writableBody = withoutServerOwned(kind, body);
  return digest(["text", valueAtTokens(writableBody, tokens) ?? null, ...addressesBeside(writableBody, tokens)]);
}

/** Covers texts, numbers and booleans, because they decide where the secret is sent. */
export function writeOnlyContext(kind: ResourceKind, body: JsonObject, { path, rule }: WriteOnlyField): string {
  const otherMembers = Object.entries(withoutServerOwned(kind, body)).filter(([, value]) => typeof value !== "object");
  return digest(["needed", path, rule, Object.fromEntries(otherMembers)]);
}

export function withoutServerOwned({ serverOwned }: ResourceKind, body: JsonObject): JsonObject {
  return serverOwned.reduce(withoutPath, body);
}

/** Skips other items of a list, so a change of one tile does not change the contexts of others. */
function addressesBeside(body: JsonObject, tokens: readonly string[]): string[] {
  const addresses: string[] = [];
  const collectAddresses = (
    value: JsonValue,
    pointer: string,
    remainingPath: readonly string[] | undefined,
    inItem: boolean,
  ): void => {
    const [token, ...laterTokens] = remainingPath ?? [];
    if (typeof value === "string") {
      if ((remainingPath === undefined || token !== undefined) && isAddress(value))
        addresses.push(`${pointer} ${value}`);
    } else if (isJsonArray(value) && !inItem) {
      const item = token === undefined ? undefined : value[Number(token)];
      if (item !== undefined) collectAddresses(item, `${pointer}/${token}`, laterTokens, true);
    } else if (isJsonObject(value) || isJsonArray(value)) {
      for (const [member, content] of Object.entries(value)) {
        if (content !== undefined)
          collectAddresses(content, `${pointer}/${member}`, member === token ? laterTokens : undefined, inItem);
      }
    }
  };
  collectAddresses(body, "", tokens, false);
  return addresses.sort(byCodeUnit);
}

function digest(value: JsonValue): string {
  return createHash("sha256").update(compactJson(value)).digest("hex").slice(0, DIGITS);
}

const BEGUN_ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#«"'`<>()]+\/[^\s?#«"'`<>]*$/i;

const MAX_ADDRESS_LENGTH = 2048;

/** Undefined if `value` is an address with another beginning, such as another host. */
export function fitIntoAddress(before: string, value: string): string | undefined {
  const [begun] = BEGUN_ADDRESS.exec(before.slice(-MAX_ADDRESS_LENGTH)) ?? [];
  const origin = originOf(value);
  if (begun === undefined || origin === undefined) return value;
  const [begunPath, path] = [begun, value].map((address) => address.replace(ORIGIN, ""));
  return origin === originOf(begun) && path?.startsWith(begunPath ?? "") === true
    ? path.slice(begunPath?.length)
    : undefined;
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#]+/i;

/** `URL.origin` supports only a few schemes. */
function originOf(text: string): string | undefined {
  const [address] = ORIGIN.exec(text) ?? [];
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}
