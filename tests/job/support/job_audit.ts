import { assert, assertEquals } from "@std/assert";
import { validateJobStatusUpdate } from "../../../src/apiserver/kinds/validation/job_status.ts";
import { hasCondition, isFinished } from "../../../src/job/api/conditions.ts";
import { IndexSet } from "../../../src/job/api/index_set.ts";
import { INDEX_FAILURE_COUNT_ANNOTATION, TRACKING_FINALIZER } from "../../../src/job/api/names.ts";
import { completionIndexOf } from "../../../src/job/api/pod_view.ts";
import { matchFailurePolicy } from "../../../src/job/decision/pod_failure_policy.ts";
import type { DeepReadonly } from "../../../src/kube/object.ts";
import type { Job, Pod } from "../../../src/kube/resource.ts";

type AnyPod = DeepReadonly<Pod>;

/**
 * Watches every write of a Job controller from the server's side, and fails when a Pod is counted twice or lost, when
 * there are too many Pods, or when a status is written that kube-apiserver refuses.
 */
export class JobAudit {
  /** UIDs that were in `uncountedTerminatedPods` at some time. */
  readonly #listed = { succeeded: new Set<string>(), failed: new Set<string>() };
  /** UIDs of Pods that ended with their finalizer on. */
  readonly #ended = { succeeded: new Set<string>(), failed: new Set<string>() };
  /** Indexes whose last Pod that was allowed failed by itself. */
  readonly #failedIndexes = new Set<number>();
  /** UIDs of Pods that the controller deleted. */
  readonly #stopped = new Set<string>();
  /** Pods whose end the controller had no chance to count. */
  readonly #vanished = new Set<string>();
  readonly #pods: () => readonly AnyPod[];
  /** The most Pods that any version of the Job allowed: what a controller with a cache that lags may go by. */
  maxParallelism = 0;

  constructor(pods: () => readonly AnyPod[]) {
    this.#pods = pods;
  }

  creating(job: DeepReadonly<Job>, pod: AnyPod): void {
    const parallelism = this.maxParallelism;
    const active = this.#pods().filter((each) => isRunning(each) && !isDeleting(each));
    assert(active.length < parallelism, `Created Pod ${active.length + 1} at parallelism ${parallelism}`);
    if (job.spec?.podReplacementPolicy === "Failed" || job.spec?.podFailurePolicy) {
      const there = this.#pods().filter((each) => isRunning(each) && isTracked(each));
      assert(there.length < parallelism, "Replaced a Pod that has not ended yet");
    }
    const index = completionIndexOf(pod);
    if (index === undefined) return;
    assert(active.every((each) => completionIndexOf(each) !== index), `Created a second Pod of index ${index}`);
    assert(!completed(job).has(index), `Created a Pod of index ${index}, which is complete`);
    assert(!failedIndexes(job).has(index), `Created a Pod of index ${index}, which has failed`);
  }

  storing(before: DeepReadonly<Job>, after: DeepReadonly<Job>): void {
    assert(!isFinished(before), "Wrote the status of a finished Job");
    const errors = validateJobStatusUpdate(after, before);
    if (errors.length > 0) assertEquals(errors, []);
    const finishes = isFinished(after);
    const indexed = after.spec?.completionMode === "Indexed";
    for (const end of ["succeeded", "failed"] as const) {
      const listedBefore = before.status?.uncountedTerminatedPods?.[end] ?? [];
      const listedAfter = after.status?.uncountedTerminatedPods?.[end] ?? [];
      for (const uid of listedAfter.filter((uid) => !listedBefore.includes(uid))) {
        assert(!this.#listed[end].has(uid), `Counts ${uid} a second time as ${end}`);
        this.#listed[end].add(uid);
        const phase = this.#find(uid)?.status?.phase;
        if (end === "succeeded" && phase) assertEquals(phase, "Succeeded", `${uid} has not succeeded`);
      }
      const left = listedBefore.filter((uid) => !listedAfter.includes(uid));
      const rise = (after.status?.[end] ?? 0) - (before.status?.[end] ?? 0);
      if (end === "succeeded" && indexed) continue;
      if (!finishes) {
        assertEquals(rise, left.length, `${end} rises by what leaves the list`);
        for (const uid of left) assert(!isTracked(this.#find(uid)), `${uid} leaves the list and is still tracked`);
      } else {
        // What ends together with the Job is counted without having been listed.
        const direct = this.#pods().filter((pod) => isTracked(pod) && !this.#listed[end].has(pod.metadata.uid));
        const slack = this.#vanished.size;
        assert(
          rise >= left.length && rise <= left.length + direct.length + slack,
          `${end} rises by ${rise} at the end`,
        );
        if (end === "succeeded") {
          const succeeded = direct.filter((pod) => pod.status?.phase === "Succeeded").length;
          assert(rise <= left.length + succeeded + slack, "More successes than Pods that succeeded");
        }
      }
    }
    const [failed, failedBefore] = [failedIndexes(after), failedIndexes(before)];
    for (let index = 0; index < (after.spec?.completions ?? 0); index++) {
      if (failed.has(index) && !failedBefore.has(index)) this.#checkFailed(after, index);
    }
    if (indexed) assertEquals(after.status?.succeeded ?? 0, completed(after).size, "Succeeded is not what is complete");
  }

  untracking(job: DeepReadonly<Job>, pod: AnyPod): void {
    const { uid } = pod.metadata;
    if (isFinished(job) || job.metadata.deletionTimestamp !== undefined) return;
    if (isLetGo(job, pod)) {
      for (const end of ["succeeded", "failed"] as const) {
        if (!this.#isListed(job, end, uid)) this.#ended[end].delete(uid);
      }
      return;
    }
    const { phase } = pod.status ?? {};
    const index = completionIndexOf(pod);
    if (phase === "Succeeded" && !this.#isListed(job, "failed", uid)) {
      const counted = index === undefined
        ? this.#isListed(job, "succeeded", uid)
        : completed(job).has(index) || failedIndexes(job).has(index);
      assert(counted, `Lost the success of ${uid}`);
    }
    if (phase === "Failed") {
      const ignored = matchFailurePolicy(job, pod)?.action === "Ignore";
      assert(ignored || this.#isListed(job, "failed", uid), `Lost the failure of ${uid}`);
    }
  }

  deleting(job: DeepReadonly<Job>, pod: AnyPod): void {
    if (!isDeleting(pod)) this.#stopped.add(pod.metadata.uid);
    if (!isTracked(pod) || isFinished(job)) return;
    const decided = hasCondition(job, "FailureTarget") || hasCondition(job, "SuccessCriteriaMet");
    assert(decided, "Stopped a Pod that is to be counted before it was stored why");
  }

  /** A Pod has ended. From now on its finalizer keeps it until it is counted. */
  ended(job: DeepReadonly<Job>, pod: AnyPod): void {
    const { uid } = pod.metadata;
    if (!isTracked(pod) || isFinished(job) || this.#isListed(job, "failed", uid)) return;
    if (matchFailurePolicy(job, pod)?.action === "Ignore" || isLetGo(job, pod)) return;
    this.#ended[pod.status?.phase === "Succeeded" ? "succeeded" : "failed"].add(uid);
    if (pod.status?.phase === "Failed" && !isDeleting(pod) && failsItsIndex(job, pod)) {
      this.#failedIndexes.add(completionIndexOf(pod)!);
    }
  }

  /** An index fails by a Pod that failed, or that was deleted by other hands; not by one that was stopped with its Job. */
  #checkFailed(job: DeepReadonly<Job>, index: number): void {
    const cause = this.#pods().find((pod) =>
      completionIndexOf(pod) === index && failsItsIndex(job, pod) && !this.#stopped.has(pod.metadata.uid) &&
      (pod.status?.phase === "Failed" || isDeleting(pod))
    );
    assert(cause !== undefined || this.anyVanished, `Index ${index} is said to have failed, and no Pod of it has`);
  }

  /** Looks back at a Job that has finished: nothing that was there to be counted is missing. */
  finished(job: DeepReadonly<Job>): void {
    const { spec, status } = job;
    if (this.#vanished.size > 0) return;
    for (const index of this.#failedIndexes) {
      assert(failedIndexes(job).has(index) || completed(job).has(index), `The failure of index ${index} was lost`);
    }
    assert((status?.failed ?? 0) >= this.#ended.failed.size, "A failure was lost");
    if (spec?.completionMode === "Indexed") return;
    // One that succeeds at the moment when it is stopped, because the Job fails, may fail with it.
    const succeeded = [...this.#ended.succeeded].filter((uid) => !this.#listed.failed.has(uid));
    assertEquals(status?.succeeded ?? 0, succeeded.length, "succeeded is the number of Pods that did");
  }

  vanished(pod: AnyPod): void {
    if (isTracked(pod)) this.#vanished.add(pod.metadata.uid);
  }

  get anyVanished(): boolean {
    return this.#vanished.size > 0;
  }

  #isListed(job: DeepReadonly<Job>, end: "succeeded" | "failed", uid: string): boolean {
    return job.status?.uncountedTerminatedPods?.[end]?.includes(uid) ?? false;
  }

  #find(uid: string): AnyPod | undefined {
    return this.#pods().find((pod) => pod.metadata.uid === uid);
  }
}

function completed(job: DeepReadonly<Job>): IndexSet {
  return IndexSet.parse(job.status?.completedIndexes, job.spec?.completions ?? 0);
}

function failedIndexes(job: DeepReadonly<Job>): IndexSet {
  return IndexSet.parse(job.status?.failedIndexes, job.spec?.completions ?? 0);
}

function isTracked(pod: AnyPod | undefined): boolean {
  return pod?.metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

function isDeleting(pod: AnyPod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Whether the failure of this Pod uses up what its index is allowed. */
function failsItsIndex(job: DeepReadonly<Job>, pod: AnyPod): boolean {
  const { spec } = job;
  if (spec?.backoffLimitPerIndex === undefined) return false;
  const action = matchFailurePolicy(job, pod)?.action;
  const failures = Number(pod.metadata.annotations?.[INDEX_FAILURE_COUNT_ANNOTATION] ?? 0);
  return action === "FailIndex" || (action !== "Ignore" && failures >= spec.backoffLimitPerIndex);
}

/** Stopped because the Job has succeeded already: however it ends, it does not count. */
function isLetGo(job: DeepReadonly<Job>, pod: AnyPod): boolean {
  return hasCondition(job, "SuccessCriteriaMet") && isDeleting(pod);
}

function isRunning(pod: AnyPod): boolean {
  return pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed";
}
