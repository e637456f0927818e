import type { Container } from "kubernetes-types/core/v1";
import type { CronJobObject, CronJobSpec } from "../../src/cronjob/api/types.ts";
import type { Unstored } from "../../src/kube/object.ts";
import { present } from "./present.ts";
import type { Loose } from "../../src/base/loose.ts";

/** The template of a Pod that has nothing to do. */
export const POD_TEMPLATE = {
  spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", command: ["true"] }] },
};

/** Returns the template of Jobs that run a shell script, once. */
export function shellTemplate(script: string, container: Partial<Container> = {}) {
  const containers = [{ name: "main", image: "none", command: ["sh", "-c", script], ...container }];
  return { spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never" as const, containers } } } };
}

/** Returns a CronJob as a client creates it: hourly, and with nothing to do, unless its spec says otherwise. */
export function cronJobOf(
  { apiVersion }: { readonly apiVersion: string },
  { spec, namespace = "default", ...metadata }: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string> | undefined;
    readonly labels?: Record<string, string> | undefined;
    readonly finalizers?: string[];
    readonly spec?: Loose<Partial<CronJobSpec>> | undefined;
  },
): Unstored<CronJobObject> {
  return {
    apiVersion,
    kind: "CronJob",
    metadata: present({ ...metadata, namespace }),
    spec: present<CronJobSpec>({ schedule: "0 * * * *", jobTemplate: { spec: { template: POD_TEMPLATE } }, ...spec }),
  };
}
