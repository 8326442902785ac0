import type { DashboardInput } from "../../schema/dashboard.ts";
import type { SeedIds } from "../seed-ids.ts";
import { tile } from "./tile.ts";

/** Metrics in two containers, one of them with tabs. */
export function kubernetes({ sources: { metrics } }: SeedIds): DashboardInput {
  const gauge = (metricName: string) => ({
    displayType: "line" as const,
    sourceId: metrics,
    select: [{ aggFn: "avg", valueExpression: "Value", metricType: "gauge", metricName, periodAggFn: "delta" }],
    groupBy: "ResourceAttributes['k8s.node.name']",
  });
  const nodes = (tabId: string) => ({ containerId: "nodes", tabId });
  return {
    name: "Kubernetes nodes",
    tags: ["infrastructure"],
    tiles: [
      tile("CPU", [0, 0, 12, 4], gauge("k8s.node.cpu.utilization"), nodes("cpu")),
      tile("Load", [12, 0, 12, 4], gauge("system.cpu.load_average.1m"), nodes("cpu")),
      tile("Memory", [0, 0, 24, 4], gauge("k8s.node.memory.usage"), nodes("memory")),
      tile("Disk", [0, 4, 24, 4], gauge("k8s.node.filesystem.usage"), { containerId: "storage" }),
    ],
    containers: [
      {
        id: "nodes",
        title: "Nodes",
        collapsed: false,
        tabs: [
          { id: "cpu", title: "CPU" },
          { id: "memory", title: "Memory" },
        ],
      },
      { id: "storage", title: "Storage", collapsed: true },
    ],
  };
}
