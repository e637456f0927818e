import { RUNTIME_ANNOTATION } from "../kubelet/runtimes.ts";
import type { RuntimeName } from "../kubelet/files/run_files.ts";
import { fieldsIgnoredByRuntime, refusalByRuntime } from "../kubelet/runtime_refusals.ts";
import type { CronJobManifest } from "../manifest_files/cron_job.ts";
import { type Finding, finding } from "./finding.ts";

const RUNTIMES: readonly RuntimeName[] = ["process", "podman", "docker"];
const TEMPLATE = "spec.jobTemplate.spec.template";

/**
 * Finds what a container runtime would refuse or ignore in a Pod template: the runtime that the template chooses, or else
 * `byDefault`. Without either the Pods run on a cluster, and nothing is judged.
 */
export function runtimeFindings({ object }: CronJobManifest, byDefault: RuntimeName | undefined): Finding[] {
  const template = object.spec.jobTemplate?.spec?.template;
  const name: string | undefined = template?.metadata?.annotations?.[RUNTIME_ANNOTATION] ?? byDefault;
  if (name === undefined) return [];
  const runtime = RUNTIMES.find((each) => each === name);
  if (runtime === undefined) {
    const message = `there is no container runtime ${JSON.stringify(name)}: must be one of ${RUNTIMES.join(", ")}`;
    return [finding("container-runtime", `${TEMPLATE}.metadata.annotations[${RUNTIME_ANNOTATION}]`, message)];
  }
  if (!template?.spec) return [];
  const refusal = refusalByRuntime(template.spec, runtime);
  if (refusal === undefined) {
    return fieldsIgnoredByRuntime(template.spec, runtime).map(({ field, what }) =>
      finding(
        "container-runtime-ignores",
        `${TEMPLATE}.${field}`,
        `${what} has no effect with container runtime ${runtime}`,
      )
    );
  }
  const [field = "spec"] = /^spec[.[\]\w]*/.exec(refusal.message) ?? [];
  const message = `the container runtime ${runtime} refuses this: ${refusal.message}`;
  return [finding("container-runtime", `${TEMPLATE}.${field}`, message)];
}
