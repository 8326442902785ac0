import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** Returns a text as `npm run format` would format it in a file with this path. */
export function formatted(path, text) {
  const formatter = fileURLToPath(new URL("node_modules/oxfmt/bin/oxfmt", root));
  return execFileSync(process.execPath, [formatter, `--stdin-filepath=${path}`], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
}
