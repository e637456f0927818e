import type { Volume, VolumeMount } from "kubernetes-types/core/v1";
import type { NetworkPolicyEgressRule } from "kubernetes-types/networking/v1";

/** A receiver of notifications: an address, and the Secret with its key. */
export interface Receiver {
  readonly kind: "webhook" | "pings";
  readonly url: string;
  /** The format of a webhook's messages. */
  readonly form?: string | undefined;
  /** A Secret with the entry `secret` for a webhook, `key` for pings. Undefined: the receiver asks for none. */
  readonly secret: string | undefined;
  /** Undefined: the NetworkPolicy opens no way to the receiver. */
  readonly destination: Destination | undefined;
}

/** Where an address is, as far as a NetworkPolicy can say. */
export type Destination =
  | { readonly kind: "address"; readonly cidr: string; readonly port: number }
  /** A Service: policies judge the ports of its Pods, which may differ from its own. */
  | { readonly kind: "namespace"; readonly namespace: string }
  /** A Service of this controller's own namespace. */
  | { readonly kind: "own-namespace" }
  /** A name outside the cluster, which no policy knows. */
  | { readonly kind: "port"; readonly port: number };

/** Last labels of names that are outside the cluster over plain HTTP too. */
export const OUTSIDE: readonly string[] = "local localdomain lan home internal intranet corp com org net".split(" ");

/**
 * Returns where the host of an address is. `alerts.monitoring` looks like `hooks.example`: over plain HTTP it is taken for a
 * Service unless it ends as names {@linkcode OUTSIDE} do, over TLS for a name outside the cluster. `alerts.monitoring.svc` is a
 * Service over both.
 */
export function destinationOf({ hostname, port: given, protocol }: URL): Destination {
  const port = Number(given) || (protocol === "https:" ? 443 : 80);
  if (/^[\d.]+$/.test(hostname)) return { kind: "address", cidr: `${hostname}/32`, port };
  if (hostname.startsWith("[")) return { kind: "address", cidr: `${hostname.slice(1, -1)}/128`, port };
  const [, namespace, ...others] = hostname.split(".");
  if (!namespace) return namespace === undefined ? { kind: "own-namespace" } : { kind: "port", port };
  const isService = others.length === 0 ? protocol === "http:" && !OUTSIDE.includes(namespace) : others[0] === "svc";
  return isService ? { kind: "namespace", namespace } : { kind: "port", port };
}

/** The flags, volume and entry of the Secret for each kind of receiver. */
const NAMES = {
  webhook: { url: "notify-webhook", file: "notify-secret-file", volume: "notify-secret", entry: "secret" },
  pings: { url: "ping-url", file: "ping-key-file", volume: "ping-key", entry: "key" },
} as const satisfies Record<Receiver["kind"], unknown>;

/** Returns the flags of the `controller` command. */
export function receiverArguments({ kind, url, form, secret }: Receiver): string[] {
  const names = NAMES[kind];
  return [
    `--${names.url}=${url}`,
    ...form === undefined ? [] : [`--notify-form=${form}`],
    ...secret === undefined ? [] : [`--${names.file}=${folderOf(kind)}/${names.entry}`],
  ];
}

/** Returns the volume with its secret, if it has one. */
export function receiverVolumes({ kind, secret }: Receiver): Volume[] {
  if (secret === undefined) return [];
  return [{ name: NAMES[kind].volume, secret: { secretName: secret, defaultMode: 0o440 } }];
}

/** Returns where that volume stands in the container. */
export function receiverMounts({ kind, secret }: Receiver): VolumeMount[] {
  return secret === undefined ? [] : [{ name: NAMES[kind].volume, mountPath: folderOf(kind), readOnly: true }];
}

/** Returns the rules that let requests out to the receiver, as narrow as a NetworkPolicy can be. */
export function receiverEgress({ destination }: Receiver): NetworkPolicyEgressRule[] {
  switch (destination?.kind) {
    case undefined:
      return [];
    case "address":
      return [{ to: [{ ipBlock: { cidr: destination.cidr } }], ports: [tcp(destination.port)] }];
    case "namespace":
      return [{
        to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": destination.namespace } } }],
      }];
    case "own-namespace":
      return [{ to: [{ podSelector: {} }] }];
    case "port":
      return [{ ports: [tcp(destination.port)] }];
  }
}

function folderOf(kind: Receiver["kind"]): string {
  return `/etc/cronjob-controller/${NAMES[kind].volume}`;
}

/** Returns a port of a NetworkPolicy. */
export function tcp(port: number) {
  return { port, protocol: "TCP" };
}
