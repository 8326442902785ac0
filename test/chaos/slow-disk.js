import { open } from "node:fs/promises";

// `--import` loads this file into a process of the program. It delays each append to a file, so that requests overtake the
// journal if the program does not wait for it.

const file = await open(import.meta.filename);
const handles = Object.getPrototypeOf(file);
await file.close();
const { appendFile } = handles;
handles.appendFile = async function appendLater(...args) {
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.CHAOS_DISK_MS)));
  return appendFile.apply(this, args);
};
