import { open } from "node:fs/promises";

// Loaded into a process of the program with `--import`: what is appended to a file is written so much later. A program that
// does not wait for its journal is overtaken by its own requests then.

const file = await open(import.meta.filename);
const handles = Object.getPrototypeOf(file);
await file.close();
const { appendFile } = handles;
handles.appendFile = async function appendLater(...args) {
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.CHAOS_DISK_MS)));
  return appendFile.apply(this, args);
};
