import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import { EVENT_DROP_CAUSES, EventRecorder } from "../../runtime/event_recorder.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

/** Returns the recorder of a component, which is named as Kubernetes' own are. A manager starts it before, and stops it after, all parts that record Events by it. */
export function recorderOf(
  component: "cronjob-controller" | "job-controller" | "kubelet",
  { metrics, ...options }: { client: KubeClient; clock: Clock; metrics?: Metrics; drainMs?: number },
): EventRecorder {
  const onDrop = metrics?.droppedEvents(component, EVENT_DROP_CAUSES);
  return new EventRecorder({ ...options, component, onDrop });
}
