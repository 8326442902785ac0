// The floor of an export: fetch the list, parse it, deflate each record. Nothing is redacted, sorted, hashed or checked.
import { createWriteStream } from "node:fs";
import { deflateRawSync } from "node:zlib";

const [, , address, path] = process.argv;
const answer = await fetch(`${address}/api/v2/dashboards`);
const { data } = JSON.parse(await answer.text());
const file = createWriteStream(path);
for (const record of data) file.write(deflateRawSync(JSON.stringify(record, undefined, 2), { level: 6 }));
file.end();
