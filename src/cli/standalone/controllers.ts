import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { CronJobController } from "../../cronjob/controller.ts";
import { holdMsOf } from "../../cronjob/decision/name_hold.ts";
import { NameKeeper } from "../../cronjob/name_keeper.ts";
import type { FollowedEvent, RunEvent } from "../../cronjob/reporter.ts";
import { TtlController } from "../../job/ttl_controller.ts";
import type { HttpKubeClient } from "../../kube/http_client.ts";
import { Kubelet } from "../../kubelet/kubelet.ts";
import type { RuntimeOptions } from "../../kubelet/open_runtimes.ts";
import type { PodSessions } from "../../kubelet/pod_sessions.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import { jobPartsOf } from "../shared/job_caches.ts";
import { recorderOf } from "../shared/recorders.ts";
import { hooksOf, type NotifyingParts, standalonePings } from "./notifications.ts";
import type { WorkstationConsole } from "./console.ts";
import type { ControllerName } from "./standalone_options.ts";

/** The parts of the controllers of one machine. */
export interface Parts extends Omit<NotifyingParts, "jobs" | "followed"> {
  client: HttpKubeClient;
  dataDir: string;
  say: WorkstationConsole;
  has(name: ControllerName): boolean;
  runtimes: RuntimeOptions;
  podSessions: PodSessions;
}

/** Returns the controllers that were asked for. They stop in reverse: what makes Jobs and Pods before what runs them. */
export function controllersOf(parts: Parts): Runnable[] {
  const { options, client, clock, archive, say, has } = parts;
  const flavours = FLAVOURS.filter(({ controllerName }) => has(controllerName));
  const jobRecorder = recorderOf("job-controller", { client, clock });
  const mode = has("job") ? options.jobs : "off";
  const { jobController, known } = jobPartsOf({ client, clock, flavours, mode, recorder: jobRecorder });
  const { jobs } = known;
  if (flavours.length > 0) archive.follow(jobs);
  const recorder = recorderOf("cronjob-controller", { client, clock });
  const followed: CronJobController[] = [];
  const notifying = { ...parts, jobs, followed };
  const pings = standalonePings(notifying);
  const hooks = hooksOf(notifying);
  const common = {
    ...known,
    client,
    clock,
    recorder,
    neverTwice: { byDefault: false },
    onRun: (run: RunEvent) => {
      say.run(run);
      archive.takeEvent(run);
      pings.onRun(run);
    },
    onTroubles: hooks.onTroubles,
    onFollowed: (event: FollowedEvent) => say.followed(event),
  };
  followed.push(...flavours.map((flavour) => new CronJobController({ ...common, flavour })));
  // Parts that a cluster has of its own: its audit log, and its permissions, keep them apart from the controllers.
  const ttlClient = client.named("ttl-after-finished-controller");
  return [
    archive,
    ...has("kubelet") ? kubeletParts(parts) : [],
    ...has("ttl") ? [new TtlController({ client: ttlClient, clock })] : [],
    ...jobController ? [jobRecorder, jobController] : [],
    recorder,
    ...pings.parts,
    ...followed,
    ...flavours.length > 0
      ? [new NameKeeper({ client, clock, jobs, controllers: followed, holdMs: holdMsOf(undefined) })]
      : [],
    ...hooks.parts,
  ];
}

function kubeletParts({ options, clock, dataDir, archive, say, runtimes, podSessions, ...parts }: Parts): Runnable[] {
  const client = parts.client.named("kubelet");
  const recorder = recorderOf("kubelet", { client, clock });
  const kubelet = new Kubelet({
    client,
    clock,
    dataDir,
    recorder,
    onStop: options.onStop,
    runtimes,
    sessions: podSessions,
    onOutput: (output) => say.output(output),
    onCannotStart: (trouble) => say.cannotStart(trouble),
    keepLogs: (logs) => archive.keepLogs(logs),
  });
  return [recorder, kubelet];
}
