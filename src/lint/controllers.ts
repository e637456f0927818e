import { annotationOf } from "../cronjob/api/spec_fields.ts";
import type { Settings } from "../cronjob/api/settings.ts";
import type { CronJobManifest } from "../manifest_files/cron_job.ts";
import type { Manifest } from "../manifest_files/parse.ts";
import { type Finding, finding } from "./finding.ts";

// What the manifests say of the controller that will run the CronJobs among them.

/** Returns whether the controller is among the manifests, and its command line leaves pending timeouts off. */
export function leavesTimeoutsOff(manifests: readonly Manifest[]): boolean {
  const controllers = manifests.flatMap(controllersIn);
  return controllers.length > 0 &&
    !controllers.some(({ args, env }) =>
      args.some((arg) => /^--(pending-timeouts(=true)?|default-pending-timeout(=.*)?)$/.test(arg)) ||
      env.some((name) => ["CJC_PENDING_TIMEOUTS", "CJC_DEFAULT_PENDING_TIMEOUT"].includes(name))
    );
}

/** Of a CronJob that asks for a timeout where they are off. */
export function timeoutsOff({ api }: CronJobManifest, { pendingTimeoutMs }: Settings): Finding[] {
  if (pendingTimeoutMs === undefined) return [];
  const field = api.extrasIn === "annotations"
    ? `metadata.annotations[${annotationOf("pendingTimeoutSeconds")}]`
    : "spec.pendingTimeoutSeconds";
  return [finding("pending-timeouts-off", field, "has no effect: the controller lacks --pending-timeouts")];
}

interface ControllerContainer {
  readonly args: readonly string[];
  readonly env: readonly string[];
}

function controllersIn({ object }: Manifest): ControllerContainer[] {
  const containers = object.kind === "Deployment" ? object.spec?.template?.spec?.containers : undefined;
  if (!Array.isArray(containers)) return [];
  return containers
    .map((container) => ({
      image: String(container?.image ?? ""),
      args: listOf(container?.command).concat(listOf(container?.args)).map(String),
      env: listOf(container?.env).map((variable) => String((variable as { name?: unknown } | null)?.name)),
    }))
    .filter(({ image, args }) => image.includes("cronjob-controller") && args.includes("controller"));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
