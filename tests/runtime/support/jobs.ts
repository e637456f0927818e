import type { Unstored } from "../../../src/kube/object.ts";
import type { Job } from "../../../src/kube/resource.ts";

/** A Job as small as can be; `key` is `namespace/name`. */
export function job(key: string, labels: Record<string, string> = {}): Unstored<Job> {
  const [namespace = "", name = ""] = key.split("/");
  return { apiVersion: "batch/v1", kind: "Job", metadata: { namespace, name, labels } };
}

/** The same as stored by a server. */
export function storedJob(key: string, resourceVersion: string, uid = key): Job {
  const object = job(key);
  const metadata = { ...object.metadata, name: object.metadata.name!, uid, resourceVersion };
  return { ...object, metadata: { ...metadata, creationTimestamp: "2026-01-01T00:00:00Z" } } as Job;
}
