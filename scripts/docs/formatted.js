import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** A text as `npm run format` leaves a file of that path. */
export function formatted(path, text) {
  const formatter = fileURLToPath(new URL("node_modules/oxfmt/bin/oxfmt", root));
  return execFileSync(process.execPath, [formatter, `--stdin-filepath=${path}`], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
}
