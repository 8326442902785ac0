// The floor of an export: fetches the list, parses it, and puts each record into a zip, without redaction, sorting, hashes or
// checks.
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { ZipArchive } from "archiver";

const [, , address, path] = process.argv;
const answer = await fetch(`${address}/api/v2/dashboards`);
const { data } = JSON.parse(await answer.text());
const zip = new ZipArchive({ zlib: { level: 6 } });
const written = pipeline(zip, createWriteStream(path));
for (const record of data) zip.append(JSON.stringify(record, undefined, 2), { name: `dashboards/${record.id}.json` });
await Promise.all([zip.finalize(), written]);
