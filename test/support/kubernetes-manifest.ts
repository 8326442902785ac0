import { z } from "zod";

/** Strict, as an API server is with `--validate=strict`: a misspelt member is no member. It knows what the samples use. */
const name = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
const quantity = z.union([z.string().regex(/^\d+(?:m|Ki|Mi|Gi)?$/), z.int()]);
const resources = z.strictObject({ cpu: quantity.optional(), memory: quantity.optional() });
const metadata = z.strictObject({ name, labels: z.record(z.string(), z.string()).optional() });
const cron = z.string().regex(/^(?:(?:\*|\d+(?:-\d+)?)(?:\/\d+)?(?: (?=\S)|$)){5}$/);

const container = z.strictObject({
  name,
  image: z.string().min(1),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name }) })).optional(),
  workingDir: z.string().startsWith("/").optional(),
  volumeMounts: z.array(
    z.strictObject({ name, mountPath: z.string().startsWith("/"), readOnly: z.boolean().optional() }),
  ),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.array(z.literal("ALL")) }),
  }),
  resources: z.strictObject({ requests: resources.optional(), limits: resources.optional() }),
});

const volume = z.union([
  z.strictObject({ name, configMap: z.strictObject({ name, optional: z.boolean().optional() }) }),
  z.strictObject({ name, secret: z.strictObject({ secretName: name }) }),
  z.strictObject({ name, emptyDir: z.strictObject({}) }),
]);

const pod = z
  .strictObject({
    restartPolicy: z.enum(["Never", "OnFailure"]),
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int().min(1),
      seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
    }),
    containers: z.array(container).min(1),
    volumes: z.array(volume),
  })
  .refine(
    ({ containers, volumes }) => {
      const mounted = containers.flatMap(({ volumeMounts }) => volumeMounts.map((mount) => mount.name));
      return mounted.every((each) => volumes.some((known) => known.name === each));
    },
    { message: "a mount names no volume" },
  );

const job = z.strictObject({
  completionMode: z.literal("Indexed").optional(),
  completions: z.int().optional(),
  parallelism: z.int().optional(),
  backoffLimit: z.int().optional(),
  backoffLimitPerIndex: z.int().optional(),
  maxFailedIndexes: z.int().optional(),
  activeDeadlineSeconds: z.int().optional(),
  template: z.strictObject({ spec: pod }),
});

const cronJob = z.strictObject({
  apiVersion: z.literal("batch/v1"),
  kind: z.literal("CronJob"),
  metadata,
  spec: z.strictObject({
    schedule: cron,
    timeZone: z.string().optional(),
    concurrencyPolicy: z.literal("Forbid"),
    startingDeadlineSeconds: z.int().optional(),
    jobTemplate: z.strictObject({ spec: job }),
  }),
});

const configMap = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("ConfigMap"),
  metadata,
  data: z.record(z.string().regex(/^[-._a-zA-Z0-9]{1,253}$/), z.string()),
});

/** What an API server makes of the samples' manifests. */
export const kubernetesManifest = z.discriminatedUnion("kind", [cronJob, configMap]);
