import type { DeepReadonly, ObjectMeta } from "../../kube/object.ts";
import { SERVES } from "./annotations.ts";

/** The APIs that the holder of the Lease runs: it writes them there itself. */
export interface Serves {
  /** `batch/v1` */
  readonly apis: readonly string[];
  /** Of `batch/v1`, only CronJobs that are adopted. */
  readonly managedOnly: boolean;
  /** None: all. */
  readonly namespaces: readonly string[];
}

/** Returns the annotation of a Lease. It names its holder: a later one that writes none must not be taken for this one. */
export function writeServes({ apis, managedOnly, namespaces }: Serves, holder: string): Record<string, string> {
  return { [SERVES]: JSON.stringify({ holder, apis, managedOnly, namespaces }) };
}

/** Returns what the annotation says; undefined where the holder has written none. */
export function readServes(
  { annotations }: Pick<DeepReadonly<ObjectMeta>, "annotations">,
  holder: string,
): Serves | undefined {
  try {
    const { apis, managedOnly, namespaces, ...rest } = JSON.parse(annotations?.[SERVES] ?? "{}");
    if (rest.holder !== holder || ![apis, namespaces].every(Array.isArray)) return undefined;
    return { apis, managedOnly: managedOnly === true, namespaces };
  } catch {
    return undefined;
  }
}
