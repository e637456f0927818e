import { ownValue } from "../../base/own_value.ts";

/** Kubernetes' sentence for each reason of a Job's end, and its meaning in few words; our Job controller adds a cause. */
const SENTENCES: Readonly<Record<string, readonly [sentence: string, words: string]>> = {
  BackoffLimitExceeded: ["Job has reached the specified backoff limit", ""],
  DeadlineExceeded: ["Job was active longer than specified deadline", "took longer than activeDeadlineSeconds"],
  MaxFailedIndexesExceeded: [
    "Job has exceeded the specified maximal number of failed indexes",
    "more indexes failed than maxFailedIndexes",
  ],
  FailedIndexes: ["Job has failed indexes", "indexes failed"],
};

/** How a Job ended, as its condition says it. */
export interface JobFailure {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Returns in one short line why a Job failed, such as `exit 3: no such table`. Every report of a failure shows it. */
export function failureLine({ reason, message = "" }: JobFailure): string {
  const [sentence, words] = ownValue(SENTENCES, reason ?? "") ?? ["", ""];
  const cause = message.startsWith(sentence) ? message.slice(sentence.length).replace(/^: /, "") : message;
  const line = [words, cause].filter((text) => text !== "").join(": ");
  return line || (sentence ? "its Pods failed" : reason ?? "the run failed");
}
