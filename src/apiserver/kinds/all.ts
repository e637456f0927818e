import type { ResourceKind } from "../resource_kind.ts";
import { CONFIG_MAPS } from "./config_map.ts";
import { CRON_JOBS } from "./cron_job.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "./custom_resource_definition.ts";
import { EVENTS, EVENTS_V1 } from "./event.ts";
import { JOBS } from "./job.ts";
import { LEASES } from "./lease.ts";
import { NAMESPACES } from "./namespace.ts";
import { NODES } from "./node.ts";
import { PODS } from "./pod.ts";
import { SECRETS } from "./secret.ts";
import { SERVICES } from "./service.ts";
import { SERVICE_ACCOUNTS } from "./service_account.ts";

/** Every resource that the server has without a CustomResourceDefinition. */
export const BUILT_IN_KINDS: readonly ResourceKind[] = [
  CONFIG_MAPS,
  EVENTS,
  NAMESPACES,
  NODES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  EVENTS_V1,
  CRON_JOBS,
  JOBS,
  CUSTOM_RESOURCE_DEFINITIONS,
  LEASES,
];
