import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import { EVENT_DROP_CAUSES, EventRecorder } from "../../runtime/event_recorder.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

/** The reporter of an Event, named as Kubernetes' own components are. */
export type EventComponent = "cronjob-controller" | "job-controller" | "kubelet";

/** Returns a component's recorder. A manager starts it before, and stops it after, all parts that record Events by it. */
export function recorderOf(
  component: EventComponent,
  { metrics, ...options }: { client: KubeClient; clock: Clock; metrics?: Metrics; drainMs?: number },
): EventRecorder {
  const onDrop = metrics?.droppedEvents(component, EVENT_DROP_CAUSES);
  return new EventRecorder({ ...options, component, onDrop });
}
