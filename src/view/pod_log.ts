import type { KubeClient } from "../kube/client.ts";
import { PODS } from "../kube/resource.ts";
import { linesOf } from "../kube/lines_of.ts";
import { pathOf } from "../kube/resource_path.ts";

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
  /** Whether each line begins with its time. @default {false} */
  readonly timestamps?: boolean | undefined;
  /** Only what was written from then on, by whole seconds. @default all */
  readonly sinceTime?: string | undefined;
  /** Of each line only so much. @default all */
  readonly maxCharacters?: number;
  readonly signal: AbortSignal;
}

/** The lines that a container wrote. */
export async function* podLogOf(
  client: KubeClient,
  { pod, name: container }: { readonly pod: string; readonly name: string },
  { namespace, tail: tailLines, maxCharacters, signal, ...options }: PodLogOptions,
): AsyncGenerator<string> {
  const { follow, limitBytes, previous, timestamps, sinceTime } = options;
  const asked = Object.entries({ container, follow, tailLines, limitBytes, previous, timestamps, sinceTime })
    .filter(([, value]) => value !== undefined && value !== false).map(([name, value]) => [name, String(value)]);
  const path = pathOf(PODS, { namespace, name: pod }, "log");
  yield* linesOf(await client.raw(`${path}?${new URLSearchParams(asked)}`, { signal }), { maxCharacters });
}
