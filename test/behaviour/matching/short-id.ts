/** Shortens an id that `hexId` made to letter and number, such as `a16`. An id that the stack has made is `new`. */
export function shortId(id: string): string {
  return id.startsWith("f00d") ? "new" : id.slice(0, 1) + Number.parseInt(id.slice(20), 16);
}
