import type { KubeClient } from "../../kube/client.ts";
import { pathOf, PODS } from "../../kube/resource.ts";
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
  const response = await client.raw(`${pathOf(PODS, namespace, pod, "log")}?${query}`, { signal });
  // No node has the Pod.
  if (!response.body) return;
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}
