import { createHash } from "node:crypto";
import { byCodeUnit } from "../../core/collections.ts";
import { compactJson, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { valueAtTokens, withoutPath } from "../../core/records/member-path.ts";
import type { WriteOnlyField, ResourceKind } from "../../core/resource-kind.ts";

/** Number of hex digits of a digest: enough that nobody can construct another text with the same digest. */
const DIGITS = 24;

/** Maximum length of a host name. A longer text without a scheme does not count as an address. */
const MAX_HOST_LENGTH = 253;

/** Tells whether a text contains an address with a scheme, or looks like an address without a scheme. */
export function isAddress(text: string): boolean {
  if (/:\/\/|^\/\//.test(text)) return true;
  return text.length <= MAX_HOST_LENGTH && /^[^\s/]+\.\S+$|^[^\s/:]+:\d/.test(text);
}

/**
 * Returns the context of the secrets in a text: a digest of the text with its placeholders, and of the addresses beside
 * the text. An answer of a secrets file is used only in the context for which the answer was drafted.
 */
export function placeContext(kind: ResourceKind, body: JsonObject, tokens: readonly string[]): string {
  const writableBody = withoutServerOwned(kind, body);
  return digest(["text", valueAtTokens(writableBody, tokens) ?? null, ...addressesBeside(writableBody, tokens)]);
}

/**
 * Returns the context of a write-only member: a digest of the record's other members, except null, objects and lists.
 * The other members decide where the value is sent.
 */
export function writeOnlyContext(kind: ResourceKind, body: JsonObject, { path, rule }: WriteOnlyField): string {
  const otherMembers = Object.entries(withoutServerOwned(kind, body)).filter(([, value]) => typeof value !== "object");
  return digest(["needed", path, rule, Object.fromEntries(otherMembers)]);
}

export function withoutServerOwned({ serverOwned }: ResourceKind, body: JsonObject): JsonObject {
  return serverOwned.reduce(withoutPath, body);
}

/**
 * Lists the addresses in the list item that contains the text, such as a tile, and the addresses outside all lists.
 * Leaves out other items, so that a change of one tile does not change the contexts of other tiles.
 */
function addressesBeside(body: JsonObject, tokens: readonly string[]): string[] {
  const addresses: string[] = [];
  /** @param remainingPath the rest of the path to the text; undefined if `value` is beside the text */
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

/** Matches the beginning of an address at the end of a text: the origin, and perhaps a part of the path. */
const BEGUN_ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#«"'`<>()]+\/[^\s?#«"'`<>]*$/i;

/** Maximum number of characters before a placeholder that are searched for an address. */
const MAX_ADDRESS_LENGTH = 2048;

/**
 * Returns the text that replaces a placeholder. If `before` ends in the beginning of an address and the value is the
 * whole address, returns only the rest of the address. If the value is an address with another beginning, such as
 * another host, returns undefined: the value must not be used. Otherwise, returns the value.
 * @param before the text before the placeholder
 */
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

/**
 * Returns scheme, host and port of the address with which a text begins; undefined if the text does not begin with an
 * address. `URL.origin` supports only a few schemes.
 */
function originOf(text: string): string | undefined {
  const [address] = ORIGIN.exec(text) ?? [];
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}
