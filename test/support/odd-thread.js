// A thread for the tests of pools: does whatever a task says. Of the built program, as a thread cannot load TypeScript.
import { threadId } from "node:worker_threads";
import { StackferryError } from "../../dist/domain/errors.js";
import { serveTasks } from "../../dist/threads/serve-tasks.js";

serveTasks((data) => async (task) => {
  if (task === "where") return { answer: { threadId, data } };
  if (task === "wait") await new Promise((resolve) => setTimeout(resolve, 20));
  if (task === "refuse") throw new StackferryError("protocol", "not this one", { hint: "try another" });
  if (task === "break") throw new TypeError("broken");
  if (task === "die") process.nextTick(() => process.exit(0));
  if (task === "crash") process.nextTick(() => nobodyKnowsThis());
  if (task === "die" || task === "crash") await new Promise(() => {});
  if (task instanceof Uint8Array) return { answer: task, transfer: [task.buffer] };
  return { answer: task };
});
