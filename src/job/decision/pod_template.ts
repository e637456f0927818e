import type { PodSpec } from "kubernetes-types/core/v1";
import type { DeepReadonly, Unstored } from "../../kube/object.ts";
import { apiVersionOf, type Job, JOBS, type Pod } from "../../kube/resource.ts";
import { COMPLETION_INDEX, COMPLETION_INDEX_ENV, TRACKING_FINALIZER } from "../api/names.ts";
import { failureCountAnnotations } from "./backoff_limit_per_index.ts";
import type { NewPod } from "./plan.ts";

/** Returns the Pod for a place in the Job: its template, with whatever fields it has, and what ties it to the Job. */
export function makePod(job: DeepReadonly<Job>, place: NewPod, name: string): Unstored<Pod> {
  const template = structuredClone(job.spec!.template) as NonNullable<Job["spec"]>["template"];
  const metadata = template.metadata ?? {};
  const { index } = place;
  const { namespace } = job.metadata;
  const indexed = index === undefined ? undefined : { [COMPLETION_INDEX]: String(index) };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: podNamePrefix(job.metadata.name, index),
      ...(namespace && { namespace }),
      labels: { ...metadata.labels, ...indexed },
      annotations: { ...metadata.annotations, ...indexed, ...failureCountAnnotations(job, place.follows) },
      finalizers: [...(metadata.finalizers ?? []).filter((each) => each !== TRACKING_FINALIZER), TRACKING_FINALIZER],
      ownerReferences: [controllerReference(job)],
    },
    spec: index === undefined ? template.spec! : withIndex(template.spec!, job.metadata.name, index),
  };
}

/** Returns the owner reference by which a Job is the controller of its Pods. */
export function controllerReference(job: DeepReadonly<Job>) {
  return {
    apiVersion: apiVersionOf(JOBS),
    kind: JOBS.kind,
    name: job.metadata.name,
    uid: job.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

function withIndex(spec: PodSpec, jobName: string, index: number): PodSpec {
  const variable = {
    name: COMPLETION_INDEX_ENV,
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } },
  };
  const withVariable = <C extends { env?: { name: string }[] }>(container: C): C => ({
    ...container,
    // The user's own variable of that name stands.
    env: container.env?.some(({ name }) => name === COMPLETION_INDEX_ENV)
      ? container.env
      : [...container.env ?? [], variable],
  });
  return {
    ...spec,
    hostname: `${jobName}-${index}`,
    containers: spec.containers.map(withVariable),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(withVariable) }),
  };
}

const SUFFIX_LENGTH = 5;
const MAX_PREFIX_LENGTH = 63 - SUFFIX_LENGTH;
/** Without vowels and what looks like them, so that no words come out. */
const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** `<job>-` or `<job>-<index>-`, shortened where the name would get too long. */
export function podNamePrefix(jobName: string, index?: number): string {
  const ending = index === undefined ? "-" : `-${index}-`;
  return jobName.slice(0, MAX_PREFIX_LENGTH - ending.length) + ending;
}

/**
 * Returns a new name of that form. We choose it, not the server: a creation whose answer got lost is then repeated under
 * the same name, and cannot make a second Pod.
 */
export function newPodName(jobName: string, index: number | undefined, random: () => number): string {
  let suffix = "";
  for (let i = 0; i < SUFFIX_LENGTH; i++) suffix += SUFFIX_LETTERS[Math.floor(random() * SUFFIX_LETTERS.length)];
  return podNamePrefix(jobName, index) + suffix;
}
