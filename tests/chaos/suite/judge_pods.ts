import type { History, SeenPod } from "./history.ts";
import { keyOf } from "./history.ts";

/** Compares the Pods that each Job ever had with what it asks for. */
export function judgePods({ cronJobs, jobs, pods }: History): { at: number; message: string }[] {
  const plans = new Map(cronJobs.map(({ plan }) => [keyOf(plan), plan]));
  const podsOf = Map.groupBy(pods, ({ jobUid }) => jobUid);
  return jobs.flatMap((job) => {
    const plan = plans.get(job.cronJob);
    // Jobs of Replace are deleted on the way.
    if (plan?.end.by !== "its Pods" || plan.spec.concurrencyPolicy === "Replace" || !job.endedVersion) return [];
    const { completions = 1, parallelism = 1, completionMode } = plan.spec.jobTemplate?.spec ?? {};
    const mine = podsOf.get(job.uid) ?? [];
    const done = mine.filter(({ succeeded }) => succeeded);
    const say = (text: string) => [{ at: job.seenAt, message: `${job.cronJob}: ${job.name} ${text}` }];
    const distinct = completionMode === "Indexed" ? new Set(done.map(({ index }) => index)).size : done.length;
    if (distinct < completions!) return say(`is over with ${distinct} of ${completions} Pods that succeeded`);
    if (done.length > completions!) return say(`had ${done.length} Pods that succeeded, ${completions} were asked for`);
    const most = mostAtATime(mine);
    return most > parallelism! ? say(`had ${most} Pods at a time, its parallelism is ${parallelism}`) : [];
  });
}

function mostAtATime(pods: readonly SeenPod[]): number {
  const active = ({ createdVersion }: SeenPod) =>
    pods.filter((pod) => pod.createdVersion <= createdVersion && !(pod.endedVersion! <= createdVersion)).length;
  return Math.max(0, ...pods.map(active));
}
