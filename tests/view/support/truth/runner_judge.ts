import type { SaidRow } from "./answers.ts";
import type { Story } from "./judge.ts";
import type { World } from "./world.ts";

/** Whether it was adopted, and then its `managed` became no word that anyone reads. */
export function isUnread({ managed, isSuspended, world: { controllers } }: Story): boolean {
  const isRead = managed === undefined || ["true", "false", "releasing"].includes(managed);
  return !RUNS_ALL.includes(controllers) && isSuspended && !isRead;
}

const RUNS_ALL: readonly World["controllers"][] = ["ours", "standalone"];

/** Which controller is said to run it. */
export function ofRunner(story: Story, { runner }: SaidRow): string[] {
  const { managed, isSuspended } = story;
  const isContested = managed === "true" && !isSuspended;
  const is = isContested ? "contested" : isUnread(story) ? "none" : BY[story.runner];
  return runner?.by === is ? [] : [`${runner?.by} runs it, and it is ${is}`];
}

const BY = { ours: "cronjob-controller", kubernetes: "kube-controller-manager", nobody: "none" } as const;

/** Nothing leads where no one runs it; of one that has ended it need not be said. */
export function ofHeadlines(
  { runner, askedAt, world: { spec: { endTime } } }: Story,
  headlines: readonly string[],
): string[] {
  const isSaid = headlines.some((line) => line.startsWith("1 CronJob runs nowhere: no controller leads: "));
  const isSo = runner === "nobody";
  if (isSaid === isSo || (isSo && Date.parse(endTime ?? "") <= askedAt)) return [];
  return [isSo ? `no headline says that no controller leads: ${headlines}` : `${headlines}, and ${runner} run it`];
}
