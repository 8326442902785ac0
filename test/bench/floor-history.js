// The floor of a log: opens each zip of a folder, unpacks its manifest and parses it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Open } from "unzipper";

const [folder] = process.argv.slice(2);
let records = 0;
for (const name of readdirSync(folder).filter((file) => file.endsWith(".zip"))) {
  const { files } = await Open.file(join(folder, name));
  const manifest = files.find(({ path }) => path === "manifest.json");
  records += JSON.parse((await manifest.buffer()).toString("utf8")).entries.length;
}
process.stdout.write(`${records}\n`);
