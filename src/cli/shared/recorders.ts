import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import { EVENT_DROP_CAUSES, EventRecorder } from "../../runtime/event_recorder.ts";
import type { Manager } from "../../runtime/manager.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

/** Who says something in an Event: the names that Kubernetes' own components go by. */
export type EventComponent = "cronjob-controller" | "job-controller" | "kubelet";

/** Makes a recorder for each component that asks, run by `manager`: started before, and stopped after, what is added later. */
export function recordersOf(
  manager: Manager,
  { metrics, ...options }: { client: KubeClient; clock: Clock; metrics?: Metrics; drainMs?: number },
) {
  return (component: EventComponent): EventRecorder => {
    const onDrop = metrics?.droppedEvents(component, EVENT_DROP_CAUSES);
    const recorder = new EventRecorder({ ...options, component, onDrop });
    manager.add(recorder);
    return recorder;
  };
}
