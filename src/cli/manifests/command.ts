import type { Command } from "commander";
import { type Install, installOf, type OverlayName, OVERLAYS } from "../../manifests/install.ts";
import { addOptions, type JobsOption, jobsOption, option, repeatable, switchOption } from "../options.ts";
import { apiOption, apisOf } from "../shared/api_option.ts";
import { checkNamespace } from "../shared/flag_checks.ts";
import { addReceiverOptions, type ReceiverOptions, receiversOf } from "./receiver_options.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  examples: [
    ["manifests --image registry.example/cronjob-controller:VERSION", "everything, with an image of your own"],
    ["manifests --api batch/v1 --namespace team-a", "adopted CronJobs of batch/v1 alone, in one namespace"],
  ],
};

interface ManifestsOptions extends ReceiverOptions {
  overlay: OverlayName;
  api: readonly string[];
  namespace: readonly string[];
  image?: string;
  jobs: JobsOption;
  pendingTimeouts: boolean;
  neverTwice: boolean;
  dashboard: boolean;
  dashboardTlsSecret?: string;
}

/** Adds `manifests`, which prints what installs the controller. */
export function addManifestsCommand(program: Command): void {
  const command = addOptions(
    addHelpNotes(program.command("manifests"), NOTES)
      .summary("print what installs the controller on a cluster")
      .description(
        "Prints the Kubernetes objects that install this version on a cluster, for `kubectl apply -f -`: the same as " +
          "`kubectl kustomize deploy/base`, or deploy/overlays/NAME.",
      ),
    option(
      "--overlay <name>",
      "base: cronjob-controller.dev/v1, and CronJobs of batch/v1 that were adopted; namespaced: the same in given " +
        "namespaces only; batch-v1: in place of Kubernetes' own controller; tutorial: the Kubebuilder tutorial's API",
    ).choices(Object.keys(OVERLAYS)).default("base"),
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
  );
  addReceiverOptions(command).action(async (options: ManifestsOptions) => {
    const [{ objectsOf }, { yamlOf }] = await Promise.all([
      import("../../manifests/objects.ts"),
      import("../../manifests/yaml.ts"),
    ]);
    const byDefault = installOf(options.overlay);
    const { api, namespace: watched } = options;
    watched.forEach(checkNamespace);
    const install: Install = {
      ...byDefault,
      image: options.image || byDefault.image,
      apis: api.length > 0 ? apisOf(api) : byDefault.apis,
      watched: watched.length > 0 ? [...new Set(watched)] : byDefault.watched,
      jobs: options.jobs,
      pendingTimeouts: options.pendingTimeouts,
      neverTwice: options.neverTwice,
      dashboard: dashboardOf(options),
      receivers: receiversOf(options),
    };
    console.log(yamlOf(...objectsOf(install)).trimEnd());
  });
}

function dashboardOf({ dashboard, dashboardTlsSecret: secret }: ManifestsOptions): Install["dashboard"] {
  if (secret) return { kind: "tls", secret };
  return { kind: dashboard ? "port-forward" : "none" };
}
