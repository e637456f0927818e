import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { EventRecorder } from "../runtime/event_recorder.ts";
import type { Manager } from "../runtime/manager.ts";

/** Who says something in an Event: the names that Kubernetes' own components go by. */
export type EventComponent = "cronjob-controller" | "job-controller" | "kubelet";

/** Makes a recorder for each component that asks, run by `manager`: started before, and stopped after, what is added later. */
export function recordersOf(manager: Manager, options: { client: KubeClient; clock: Clock }) {
  return (component: EventComponent): EventRecorder => {
    const recorder = new EventRecorder({ ...options, component });
    manager.add(recorder);
    return recorder;
  };
}
