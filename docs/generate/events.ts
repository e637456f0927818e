import { CONDITIONS, NORMAL_EVENTS, WARNING_EVENTS } from "../../src/cronjob/api/reasons.ts";
import { bullets, code, page } from "./markdown.ts";

/** Every Event about a CronJob, and every condition with its reasons. */
export function eventsPage(): string {
  return page(
    "Events and conditions",
    "`kubectl describe` shows both. Reasons that Kubernetes has mean the same there, and have its messages. Events about " +
      "Jobs and Pods are Kubernetes'; what `standalone` adds is in [How Pods run on a workstation](../../src/kubelet/README.md).",
    "## Normal Events",
    list(NORMAL_EVENTS),
    "## Warnings",
    list(WARNING_EVENTS),
    "## Conditions",
    "In the status of `cronjob-controller.dev/v1` and `batch.tutorial.kubebuilder.io/v1` CronJobs.",
    ...Object.entries(CONDITIONS).map(([type, { means, reasons }]) => `### ${type}\n\n${means}\n\n${list(reasons)}`),
  );
}

function list(reasons: Readonly<Record<string, string>>): string {
  return bullets(Object.entries(reasons).map(([reason, means]) => `${code(reason)}: ${means}`));
}
