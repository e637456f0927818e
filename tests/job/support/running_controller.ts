import { JobController, type JobControllerOptions } from "../../../src/job/controller.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import type { EventRecord } from "../../../src/runtime/event_recorder.ts";
import { followJobs } from "../../support/follow_jobs.ts";

/** A Job controller at work; disposing of it ends it. */
export interface RunningController extends AsyncDisposable {
  readonly events: EventRecord[];
}

export async function startJobController(
  client: KubeClient,
  options: Partial<JobControllerOptions> = {},
): Promise<RunningController> {
  const events: EventRecord[] = [];
  const clock = new SystemClock();
  const controller = new JobController({
    client,
    clock,
    jobs: followJobs({ client, clock, namespaces: options.namespaces }),
    mode: "all",
    recorder: { record: (event) => void events.push(event) },
    ...options,
  });
  const end = new AbortController();
  const running = controller.run(end.signal);
  await controller.ready!();
  return {
    events,
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}
