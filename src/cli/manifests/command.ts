import { type Install, installOf, type OverlayName, OVERLAYS } from "../../manifests/install.ts";
import { jobsOption, option, type OptionsOf, repeatable, switchOption, wholeNumber } from "../flags/options.ts";
import { apiOption } from "../flags/api_option.ts";
import { namespaceName } from "../flags/names.ts";
import { RECEIVER_OPTIONS, receiversOf } from "./receiver_options.ts";
import { command } from "../command.ts";

const OPTIONS = [
  option(
    "--overlay <name>",
    "base: cronjob-controller.dev/v1, and CronJobs of batch/v1 that were adopted; namespaced: the same in given " +
      "namespaces only; batch-v1: in place of Kubernetes' own controller; tutorial: the Kubebuilder tutorial's API",
  ).oneOf(Object.keys(OVERLAYS) as OverlayName[]).byDefault("base"),
  apiOption({ otherwise: "those of the overlay" }),
  repeatable("--namespace <name>", "watch only this namespace, with a Role there in place of the ClusterRole"),
  option("--image <image>", "where the cluster finds the image"),
  jobsOption("off"),
  switchOption(
    "--pending-timeouts",
    "give the right to end Jobs whose Pods never start, which an API with a default timeout has anyway",
  ),
  switchOption("--never-twice", "let CronJobs keep the names of their Jobs taken, with the right to free them"),
  switchOption("--dashboard", "serve a dashboard, which kubectl port-forward leads to"),
  option(
    "--dashboard-tls-secret <name>",
    "serve it in the cluster, with the certificate of this Secret of type kubernetes.io/tls",
  ),
  switchOption(
    "--history",
    "keep the runs that each replica sees in a volume of its Pod, for as long as that is there",
  ),
  option(
    "--history-volume <GiB>",
    "keep them on a volume of so many GiB for each replica, which stays: a StatefulSet in place of the Deployment",
  ).parsedBy(wholeNumber(1, 65_536)).conflicts("history"),
  ...RECEIVER_OPTIONS,
];

type ManifestsOptions = OptionsOf<typeof OPTIONS>;

/** Prints the manifests that install the controller. */
export const addManifestsCommand = command({
  name: "manifests",
  summary: "print the Kubernetes objects that install this version on a cluster",
  text: `
They are for "kubectl apply -f -": the same as "kubectl kustomize deploy/base", or deploy/overlays/NAME.`,
  examples: [
    ["manifests --image registry.example/cronjob-controller:VERSION", "everything, with an image of your own"],
    ["manifests --api batch/v1 --namespace team-a", "adopted CronJobs of batch/v1 alone, in one namespace"],
  ],
  options: OPTIONS,
  run: async (options) => {
    const [{ objectsOf }, { yamlOf }] = await Promise.all([
      import("../../manifests/objects.ts"),
      import("../../manifests/yaml.ts"),
    ]);
    const byDefault = installOf(options.overlay);
    const { api, namespace: watched, jobs, pendingTimeouts, neverTwice } = options;
    watched.forEach(namespaceName);
    const install: Install = {
      ...byDefault,
      image: options.image || byDefault.image,
      apis: api.length > 0 ? api : byDefault.apis,
      watched: watched.length > 0 ? [...new Set(watched)] : byDefault.watched,
      jobs,
      pendingTimeouts,
      neverTwice,
      dashboard: dashboardOf(options),
      history: historyOf(options),
      receivers: receiversOf(options),
    };
    console.log(yamlOf(...objectsOf(install)).trimEnd());
  },
});

function historyOf({ history, historyVolume: gibibytes }: ManifestsOptions): Install["history"] {
  if (gibibytes) return { kind: "volume", gibibytes };
  return { kind: history ? "pod" : "none" };
}

function dashboardOf({ dashboard, dashboardTlsSecret: secret }: ManifestsOptions): Install["dashboard"] {
  if (secret) return { kind: "tls", secret };
  return { kind: dashboard ? "port-forward" : "none" };
}
