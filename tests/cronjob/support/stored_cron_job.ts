import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import { apiVersionOf } from "../../../src/kube/resource.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";
import { present } from "../../support/present.ts";
import type { Loose } from "../../../src/base/loose.ts";

/** Returns `default/c` as an API server stores it: each minute, unless its spec says otherwise. */
export function storedCronJob(
  { resource }: Flavour,
  { createdAt, annotations, spec }: {
    readonly createdAt: EpochMs;
    readonly annotations?: Record<string, string> | undefined;
    readonly spec?: Loose<Partial<CronJobSpec>>;
  },
): CronJobObject {
  return {
    apiVersion: apiVersionOf(resource),
    kind: "CronJob",
    metadata: {
      name: "c",
      namespace: "default",
      uid: "u",
      resourceVersion: "",
      generation: 1,
      creationTimestamp: formatTime(createdAt),
      ...annotations && { annotations },
    },
    spec: present<CronJobSpec>({ schedule: "* * * * *", jobTemplate: { spec: { template: {} } }, ...spec }),
  };
}
