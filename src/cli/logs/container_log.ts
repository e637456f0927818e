import type { KubeClient } from "../../kube/client.ts";
import { PODS } from "../../kube/resource.ts";
import { pathOf } from "../../kube/resource_path.ts";
import { linesOf } from "../../kube/lines_of.ts";
import type { Container } from "./containers.ts";

export interface ContainerLogOptions {
  readonly namespace: string;
  readonly follow: boolean;
  /** Only so many of the last lines. @default all */
  readonly tail?: number;
  /** What it wrote before it was started again. */
  readonly previous: boolean;
  readonly signal: AbortSignal;
}

/** The lines that a container wrote. */
export async function* logOf(
  client: KubeClient,
  { pod, name }: Container,
  { namespace, follow, tail, previous, signal }: ContainerLogOptions,
): AsyncGenerator<string> {
  const query = new URLSearchParams({ container: name });
  if (follow) query.set("follow", "true");
  if (tail !== undefined) query.set("tailLines", String(tail));
  if (previous) query.set("previous", "true");
  yield* linesOf(await client.raw(`${pathOf(PODS, { namespace, name: pod }, "log")}?${query}`, { signal }));
}
