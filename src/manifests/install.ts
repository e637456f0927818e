import type { PodSpec, ResourceRequirements } from "kubernetes-types/core/v1";
import configuration from "../../deno.json" with { type: "json" };
import { BATCH, type Flavour, FLAVOURS, PRODUCTION } from "../cronjob/api/flavour.ts";
import type { JobMode } from "../job/api/managed_by.ts";
import type { Receiver } from "./receivers.ts";
import { RELEASED_IMAGE } from "./released_image.ts";

/** How the controller is to be installed on a cluster. */
export interface Install {
  readonly image: string;
  /** The APIs whose CRDs and rights are installed: the controller runs CronJobs of all APIs that it may watch. */
  readonly apis: readonly Flavour[];
  /** Whether, of `batch/v1`, only CronJobs with the managed annotation are run. */
  readonly managedOnly: boolean;
  /** The namespaces whose CronJobs are reconciled. An empty list: all. */
  readonly watched: readonly string[];
  readonly jobs: "off" | JobMode;
  /** Whether Jobs may be ended whose Pods never start, also where no API has a default timeout. */
  readonly pendingTimeouts: boolean;
  /** Whether CronJobs may have the names of their Jobs kept taken. */
  readonly neverTwice: boolean;
  /** How users reach the dashboard: not at all, by `kubectl port-forward`, or over TLS with the certificate of a Secret. */
  readonly dashboard: { readonly kind: "none" | "port-forward" } | { readonly kind: "tls"; readonly secret: string };
  /** Whether each replica keeps the runs that it sees: not at all, as long as its Pod is there, or on a volume that stays. */
  readonly history: { readonly kind: "none" | "pod" } | { readonly kind: "volume"; readonly gibibytes: number };
  /** The receivers of notifications, one of each kind at most. */
  readonly receivers: readonly Receiver[];
  /** Further flags of the `controller` command. */
  readonly flags: readonly string[];
  /** The resources of each replica. */
  readonly resources: ResourceRequirements;
  /** Further fields of the Pods' spec. */
  readonly pod: Partial<PodSpec>;
}

/** The namespace of the controller itself. */
export const NAMESPACE = "cronjob-controller-system";
/** The name of every object but the CRD and the namespace. */
export const NAME = "cronjob-controller";
export const LABELS = { "app.kubernetes.io/name": NAME } as const;
/** The Lease that the replicas compete for, whatever APIs they run: two that share one never work at the same time. */
export const LEASE = NAME;
const IMAGE = RELEASED_IMAGE.includes("@") ? RELEASED_IMAGE : `${NAME}:${configuration.version}`;
export const PORTS = { metrics: 8080, health: 8081, dashboard: 6445 } as const;

/**
 * Measured: 100 MB idle with 1,000 CronJobs, 204 MB once 5,000 were due at one instant. A limit of CPU would throttle in just
 * those seconds, and make runs late.
 */
const RESOURCES: ResourceRequirements = {
  requests: { cpu: "50m", memory: "256Mi" },
  limits: { memory: "1Gi" },
};

/** The installations of `deploy/base` and the folders of `deploy/overlays`. */
export const OVERLAYS = {
  base: {},
  /** Watches `default`, where nothing else is asked for. */
  namespaced: { watched: ["default"] },
  "batch-v1": { apis: [BATCH], managedOnly: false },
  tutorial: { apis: FLAVOURS },
} as const satisfies Record<string, Partial<Install>>;

export type OverlayName = keyof typeof OVERLAYS;

/** Returns the installation of an overlay, with defaults for the rest. */
export function installOf(overlay: OverlayName): Install {
  return {
    image: IMAGE,
    apis: [PRODUCTION, BATCH],
    managedOnly: true,
    watched: [],
    jobs: "off",
    pendingTimeouts: false,
    neverTwice: false,
    dashboard: { kind: "none" },
    history: { kind: "none" },
    receivers: [],
    flags: [],
    resources: RESOURCES,
    pod: {},
    ...OVERLAYS[overlay],
  };
}
