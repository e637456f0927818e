import type { JobSpec, JobStatus } from "kubernetes-types/batch/v1";
import type { PodSpec } from "kubernetes-types/core/v1";
import { COMPLETION_INDEX, TRACKING_FINALIZER } from "../../../src/job/api/names.ts";
import type { Job, Pod } from "../../../src/kube/resource.ts";
import { formatTime } from "../../../src/base/epoch_ms.ts";
import { controlledBy } from "../../support/job.ts";
import { present } from "../../support/present.ts";
import type { Loose } from "../../../src/base/loose.ts";

/** The instant at which these objects' tests stand. */
export const NOW = Date.parse("2026-03-01T12:00:00Z");

export type JobSpecPart = Loose<Partial<Omit<JobSpec, "template">>> & { restartPolicy?: string };

/** A Job as an API server stores it, defaults filled in. */
export function makeJob(spec: JobSpecPart = {}, status: JobStatus = {}, metadata: Partial<Job["metadata"]> = {}): Job {
  const uid = metadata.uid ?? "job-uid";
  const { restartPolicy = "Never", ...rest } = spec;
  const labels = { "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": "work" };
  // Without `completions`, but with `parallelism`, any success is enough; `completions: undefined` asks for that.
  const completions = "completions" in spec ? {} : { completions: 1 };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "work",
      namespace: "default",
      uid,
      resourceVersion: "1",
      creationTimestamp: formatTime(NOW - 60_000),
      ...metadata,
    },
    spec: present<JobSpec>({
      parallelism: 1,
      ...completions,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
      completionMode: "NonIndexed",
      suspend: false,
      podReplacementPolicy: spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed",
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
      template: {
        metadata: { labels },
        spec: { restartPolicy, containers: [{ name: "main", image: "none", command: ["true"] }] } as PodSpec,
      },
      ...rest,
    }),
    status,
  };
}

export interface PodPart {
  phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  index?: number;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  tracked?: boolean;
  deleting?: boolean;
  ready?: boolean;
  readySinceMs?: number;
  exitCode?: number;
  restarts?: number;
  /** How long ago it ended. */
  endedMsAgo?: number;
  createdMsAgo?: number;
  conditions?: { type: string; status: string }[];
  nodeName?: string;
}

/** A Pod of {@linkcode makeJob}'s Job. */
export function makePod(name: string, part: PodPart = {}): Pod {
  const { phase = "Running", index, tracked = true, restarts = 0 } = part;
  const ended = phase === "Succeeded" || phase === "Failed";
  const exitCode = part.exitCode ?? (phase === "Failed" ? 1 : 0);
  const conditions = [
    ...part.conditions ?? [],
    ...(part.ready === undefined ? [] : [{
      type: "Ready",
      status: part.ready ? "True" : "False",
      lastTransitionTime: formatTime(NOW - (part.readySinceMs ?? 0)),
    }]),
  ];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: formatTime(NOW - (part.createdMsAgo ?? 30_000)),
      labels: {
        "batch.kubernetes.io/controller-uid": "job-uid",
        "batch.kubernetes.io/job-name": "work",
        ...part.labels,
      },
      annotations: { ...(index !== undefined && { [COMPLETION_INDEX]: String(index) }), ...part.annotations },
      finalizers: tracked ? [TRACKING_FINALIZER] : [],
      ownerReferences: [controlledBy(makeJob())],
      ...(part.deleting && { deletionTimestamp: formatTime(NOW), deletionGracePeriodSeconds: 30 }),
    },
    spec: { containers: [{ name: "main", image: "none" }], nodeName: part.nodeName ?? "node" },
    status: {
      phase,
      conditions,
      containerStatuses: [{
        name: "main",
        image: "none",
        imageID: "",
        ready: part.ready ?? false,
        restartCount: restarts,
        state: ended
          ? { terminated: { exitCode, finishedAt: formatTime(NOW - (part.endedMsAgo ?? 0)) } }
          : { running: {} },
      }],
    },
  };
}
