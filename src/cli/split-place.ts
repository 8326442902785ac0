/** Divides the path of something in a place: `s3://bucket/prefix/a.zip` → the place, and `a.zip`. */
export function splitPlace(path: string): { readonly place: string; readonly name: string } {
  const trimmed = path.replace(/\/+$/, "");
  const at = trimmed.lastIndexOf("/");
  if (at < 0) return { place: ".", name: trimmed };
  return { place: at === 0 ? "/" : trimmed.slice(0, at), name: trimmed.slice(at + 1) };
}
