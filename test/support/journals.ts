export { memoryJournal } from "../../src/journal/memory-journal.ts";
