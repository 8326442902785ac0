export { memoryJournal } from "../../src/core/plan/journal.ts";
