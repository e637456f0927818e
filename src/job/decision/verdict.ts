import { findCondition } from "../api/conditions.ts";
import type { PodView } from "../api/pod_view.ts";
import { completionsOf, hasLimitPerIndex, indexesOf } from "../api/spec.ts";
import { exceedsBackoffLimit } from "./backoff_limit.ts";
import { deadlineOf } from "./deadline.ts";
import type { DecisionInput } from "./input.ts";
import { matchFailurePolicy } from "./pod_failure_policy.ts";
import { isPodFailed } from "./pod_replacement_policy.ts";
import { lastFailureIn, waitIn } from "./pod_trouble.ts";
import { matchSuccessPolicy } from "./success_policy.ts";
import type { Tally } from "./tally.ts";

/** How a Job ends. Once stored as the interim condition `type`, it stands; Complete or Failed follow when all Pods are gone. */
export interface Verdict {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

interface Situation extends Pick<DecisionInput, "job" | "pods" | "now"> {
  readonly tally: Tally;
}

/** Returns the first rule that ends the Job, in Kubernetes' order. */
export function judge(situation: Situation): Verdict | undefined {
  for (const rule of RULES) {
    const verdict = rule(situation);
    if (verdict) return verdict;
  }
  return undefined;
}

const RULES: readonly ((situation: Situation) => Verdict | undefined)[] = [
  alreadyDecided("SuccessCriteriaMet"),
  alreadyDecided("FailureTarget"),
  podFailurePolicyFailsJob,
  backoffLimitExceeded,
  deadlineExceeded,
  maxFailedIndexesExceeded,
  indexesFailed,
  successPolicyMet,
  completionsReached,
];

function alreadyDecided(type: Verdict["type"]) {
  return ({ job }: Situation): Verdict | undefined => {
    const condition = findCondition(job, type);
    if (condition?.status !== "True") return undefined;
    return { type, reason: condition.reason ?? "", message: condition.message ?? "" };
  };
}

function podFailurePolicyFailsJob({ job, pods }: Situation): Verdict | undefined {
  if (!job.spec?.podFailurePolicy) return undefined;
  for (const view of pods) {
    if (!isPodFailed(job, view)) continue;
    const match = matchFailurePolicy(job, view.pod);
    if (match?.action === "FailJob") return failure("PodFailurePolicy", match.message);
  }
  return undefined;
}

function backoffLimitExceeded({ job, pods, tally }: Situation): Verdict | undefined {
  if (!exceedsBackoffLimit(job, pods, tally.failed)) return undefined;
  return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit", pods);
}

function deadlineExceeded({ job, pods, now }: Situation): Verdict | undefined {
  const deadline = deadlineOf(job, now);
  if (deadline === undefined || now < deadline) return undefined;
  return failure("DeadlineExceeded", "Job was active longer than specified deadline", pods);
}

function maxFailedIndexesExceeded({ job, pods, tally }: Situation): Verdict | undefined {
  const failed = tally.failedIndexes?.size ?? 0;
  if (!hasLimitPerIndex(job) || failed <= (job.spec?.maxFailedIndexes ?? Infinity)) return undefined;
  const message = "Job has exceeded the specified maximal number of failed indexes";
  return failure("MaxFailedIndexesExceeded", message, pods);
}

function indexesFailed({ job, pods, tally }: Situation): Verdict | undefined {
  const failed = tally.failedIndexes?.size ?? 0;
  if (failed === 0 || failed + tally.succeededIndexes.size < indexesOf(job)) return undefined;
  return failure("FailedIndexes", "Job has failed indexes", pods);
}

function successPolicyMet({ job, tally }: Situation): Verdict | undefined {
  const message = matchSuccessPolicy(job, tally.succeededIndexes);
  return message === undefined ? undefined : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message };
}

/** Without `completions`, any success is enough once the other Pods have ended by themselves. */
function completionsReached({ job, tally }: Situation): Verdict | undefined {
  if (tally.active.length > 0 || tally.succeeded < (completionsOf(job) ?? 1)) return undefined;
  return {
    type: "SuccessCriteriaMet",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
  };
}

/** `pods`: those that are to say more than Kubernetes' own message, if they can. */
function failure(reason: string, message: string, pods: readonly PodView[] = []): Verdict {
  const raw = pods.map(({ pod }) => pod);
  const trouble = lastFailureIn(raw) ?? waitIn(raw);
  return { type: "FailureTarget", reason, message: trouble === undefined ? message : `${message}: ${trouble}` };
}
