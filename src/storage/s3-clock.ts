import type { S3Client } from "@aws-sdk/client-s3";
import { z } from "zod";

const datedSchema = z.object({ headers: z.object({ date: z.string() }) });

/** How far this machine's clock is ahead of the store's, by the Date header of its last answer; 0 before the first one. */
export function s3ClockAhead(client: S3Client): () => number {
  let ahead = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { data } = datedSchema.safeParse(result.response);
      const theirs = Date.parse(data?.headers.date ?? "");
      if (!Number.isNaN(theirs)) ahead = Date.now() - theirs;
      return result;
    },
    { step: "deserialize", priority: "low", name: "stackferryClock" },
  );
  return () => ahead;
}
