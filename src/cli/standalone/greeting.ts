import type { ApiServer } from "../../apiserver/server.ts";
import type { OnStop } from "../../kubelet/kubelet.ts";
import type { RuntimeName } from "../../kubelet/files/run_files.ts";
import { VERSION } from "../version.ts";
import type { OpenDashboard } from "./dashboard.ts";

const UTC =
  "The schedule of a CronJob without timeZone means UTC; --time-zone local gives new ones the zone of this machine";

const END: Readonly<Record<OnStop, string>> = {
  end: "Ctrl-C ends it and everything it started.",
  leave: "Ctrl-C ends it; containers that run go on, and the next start takes them up.",
};

const RUNS: Readonly<Record<RuntimeName, string>> = {
  process: "as plain processes with your own rights",
  podman: "by podman, from their images",
  docker: "by docker, from their images",
};

/** Returns where containers run: the first runtime is for Pods that ask for none. */
function runsIn([first = "process", ...others]: readonly RuntimeName[]): string {
  if (others.length === 0) return `Containers run ${RUNS[first]}${first === "process" ? "; images are ignored" : ""}.`;
  return `Containers run ${RUNS[first]}; where their Pods ask for it, ${
    others.map((name) => RUNS[name]).join(", or ")
  }.`;
}

const CRONTAB = `  kubectl get ccj # the entries of the crontab; cronjobs are those of batch/v1
  cronjob-controller trigger NAME --follow # run one now
`;

/** Returns what people read when it is there to be used. */
export function greeting(
  { url, kubeconfigPath }: Pick<ApiServer, "url" | "kubeconfigPath">,
  { dashboard, onStop, zone, runtimes, crontab }: {
    readonly dashboard: Pick<OpenDashboard, "link"> | undefined;
    readonly onStop: OnStop;
    /** The zone of new CronJobs without timeZone. */
    readonly zone: string | undefined;
    readonly runtimes: readonly RuntimeName[];
    readonly crontab: readonly string[];
  },
): string {
  return `cronjob-controller ${VERSION}: a Kubernetes API on ${url}
${runsIn(runtimes)}
${zone === undefined ? UTC : `A new CronJob without timeZone gets timeZone: ${zone}`}.

In another terminal:
  export KUBECONFIG=${kubeconfigPath}
${crontab.length > 0 ? CRONTAB : ""}  kubectl get ccj,cronjobs,jobs,pods -A
  kubectl get events -A --watch
${dashboard ? `\nIn a browser, once: ${dashboard.link()}\n` : ""}
Ready: kubectl works against it. ${END[onStop]}
`;
}
