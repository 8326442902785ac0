const MAX_TRIES = 60;
const PAUSE_MS = 50;
const PATIENCE_MS = 1500;

/** Repeats a request until its response is complete, because the stack may still have faults. */
export async function repeatUntilComplete<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await Promise.race([ask(), noAnswer()]);
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

async function noAnswer(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
  throw new Error("no answer came");
}
