import { pageOf } from "./page-of.ts";
import type { Route, Stack } from "./route.ts";

/** Webhooks: a paged list, on self-hosted alone (contract 1). */
export function webhookRoutes({ store }: Stack): readonly Route[] {
  return [{ method: "GET", path: "webhooks", writes: false, handle: (call) => pageOf(store.webhooks, call.query) }];
}
