import type { KubeClient } from "../../kube/client.ts";
import { PODS } from "../../kube/resource.ts";
import { linesOf } from "../../kube/lines_of.ts";
import { pathOf } from "../../kube/resource_path.ts";

export interface PodLogOptions {
  readonly namespace: string | undefined;
  /** @default {false} */
  readonly follow?: boolean | undefined;
  /** Only so many of the last lines. @default all */
  readonly tail?: number | undefined;
  /** Of its first lines only so much. @default all */
  readonly limitBytes?: number | undefined;
  /** Whether its log before its last restart is meant. @default {false} */
  readonly previous?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** The lines that a container wrote. */
export async function* podLogOf(
  client: KubeClient,
  { pod, name: container }: { readonly pod: string; readonly name: string },
  { namespace, follow, tail: tailLines, limitBytes, previous, signal }: PodLogOptions,
): AsyncGenerator<string> {
  const asked = Object.entries({ container, follow, tailLines, limitBytes, previous })
    .filter(([, value]) => value !== undefined && value !== false).map(([name, value]) => [name, String(value)]);
  const path = pathOf(PODS, { namespace, name: pod }, "log");
  yield* linesOf(await client.raw(`${path}?${new URLSearchParams(asked)}`, { signal }));
}
