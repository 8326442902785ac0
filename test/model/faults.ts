import { keepFiles } from "./adapter.ts";
import type { EngineStack, Intercept } from "./engine-stack.ts";
import type { Fault } from "./operations.ts";

/** Lists as they were when the last run began. */
export type FormerLists = Map<string, string>;

/** Lets a fault happen in a run. Returns whether the run was killed: its files are then as they were at the kill. */
export async function withFault(
  fault: Fault,
  { stack, folder, former }: { readonly stack: EngineStack; readonly folder: string; readonly former: FormerLists },
  run: () => Promise<unknown>,
): Promise<boolean> {
  const before = stack.intercept;
  let writes = 0;
  let putBack: (() => void) | undefined;
  let stale = fault.is === "lag" ? new Map(former) : new Map<string, string>();
  stack.intercept = async (method, path, proceed) => {
    if (putBack !== undefined) return dead();
    const isList = method === "GET" && /\/(?:dashboards|alerts)$/.test(path);
    const lagging = isList ? stale.get(path) : undefined;
    if (lagging !== undefined) {
      stale.delete(path);
      return Response.json(JSON.parse(lagging));
    }
    const isWrite = method !== "GET" && !path.endsWith("/validate");
    writes += isWrite ? 1 : 0;
    if (!isWrite || writes !== fault.at || fault.is === "lag") return before(method, path, proceed);
    if (fault.is === "lost") {
      await proceed();
      throw Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }),
      });
    }
    if (fault.is === "kill-after") await proceed();
    putBack = keepFiles(folder);
    return dead();
  };
  try {
    await run();
  } finally {
    stack.intercept = before;
    stale = new Map();
  }
  putBack?.();
  return putBack !== undefined;
}

/** A killed program sends nothing more. An answer that refuses the key ends the run at once. */
function dead(): Response {
  return Response.json({ message: "no" }, { status: 401 });
}

/** Notes the first of each list that a stack shows. */
export function noteLists(lists: () => FormerLists): Intercept {
  return async (method, path, proceed) => {
    const response = await proceed();
    const isNew = method === "GET" && /\/(?:dashboards|alerts)$/.test(path) && response.ok && !lists().has(path);
    if (isNew) lists().set(path, await response.clone().text());
    return response;
  };
}
