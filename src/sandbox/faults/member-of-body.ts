import { isObject } from "../record.ts";

/** Whether a value has the member at a dotted path, which leads through the items of arrays: `tiles.config`. */
export function holdsMember(value: unknown, path: string): boolean {
  const [member = "", ...rest] = path.split(".");
  if (Array.isArray(value)) return value.some((item) => holdsMember(item, path));
  if (!isObject(value) || !Object.hasOwn(value, member)) return false;
  return rest.length === 0 || holdsMember(value[member], rest.join("."));
}

/** The value without that member, wherever the path leads. */
export function withoutMember(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutMember(item, path));
  if (!isObject(value)) return value;
  const [member = "", ...rest] = path.split(".");
  const kept = Object.entries(value).flatMap(([name, content]) => {
    if (name !== member) return [[name, content]];
    return rest.length === 0 ? [] : [[name, withoutMember(content, rest.join("."))]];
  });
  return Object.fromEntries(kept);
}
