import type { Clock } from "../../base/clock.ts";
import type { RenderOptions } from "../http/views.ts";
import type { PodLogSource } from "../pod_logs.ts";
import type { PodSessionSource } from "../pod_sessions.ts";
import type { Registry } from "../registry.ts";
import type { MayAlso } from "../security/authorization.ts";
import type { Storage } from "../storage/storage.ts";
import type { WatchHub } from "../watch/watch_hub.ts";

/** The parts of the server that the operations work on. */
export interface ServerContext {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly hub: WatchHub;
  readonly clock: Clock;
  readonly podLogs: PodLogSource | undefined;
  readonly podSessions: PodSessionSource | undefined;
  /** The rights of users who are no members of system:masters. */
  readonly mayAlso?: MayAlso | undefined;
}

/** The resource and object of a request. */
export interface Target extends Omit<RenderOptions, "now"> {
  /** Empty for kinds without, and for requests about all namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}
