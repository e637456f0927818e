import { BATCH } from "../../cronjob/api/flavour.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { ConfigError } from "../errors.ts";
import { holderOf, KUBERNETES_LEASE, readLeaseOf } from "../cluster/lease_holder.ts";
import type { ControllerOptions } from "./controller_options.ts";

const logger = loggerFor("controller");

/**
 * Kubernetes' own controller runs every CronJob of `batch/v1` too, unless its flags keep it from that. Where its Lease may be read
 * and is held, which of both is the case has to be said.
 *
 * @throws {ConfigError} where it was not
 */
export async function assertNoOtherController(
  client: KubeClient,
  options: Pick<ControllerOptions, "api" | "managedOnly" | "force">,
  now: EpochMs,
): Promise<void> {
  if (options.managedOnly || !options.api.includes(BATCH)) return;
  const lease = await readLeaseOf(client, KUBERNETES_LEASE).catch((error) => {
    // It is a warning for people who try things. What is wrong with the server shows in what comes next.
    logger.debug("Cannot see whether kube-controller-manager is at work: {error}", { error });
  });
  if (!lease) return;
  const holder = holderOf(lease, now);
  if (holder === undefined) return;
  const found = `kube-controller-manager is at work here (Lease ${lease.key} is held by ${holder})`;
  if (options.force) {
    logger.warn("Kubernetes' own controller must not run CronJobs too: {detail}", { detail: found });
    return;
  }
  throw new ConfigError(
    `${found}, and runs batch/v1 CronJobs unless its flags say --controllers=*,-cronjob-controller: give --managed-only ` +
      "to run only those that are adopted, or --force where its own CronJob controller is off",
  );
}
