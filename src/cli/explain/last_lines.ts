import type { KubeClient } from "../../kube/client.ts";
import { pathOf, PODS } from "../../kube/resource.ts";
import type { Clock } from "../../runtime/clock.ts";

const SHOWN_LINES = 5;
/** A line may be as long as a container likes. */
const MAX_BYTES = 16_384;
/** The answer without them is worth more than a longer wait for a kubelet. */
const PATIENCE_MS = 3_000;

/** Returns the last lines that a container wrote; none where they are not to be had, for whatever reason, or not soon. */
export async function lastLinesOf(
  client: KubeClient,
  { namespace, pod, container }: { namespace: string | undefined; pod: string; container: string },
  clock: Clock,
): Promise<string[]> {
  const query = new URLSearchParams({ container, tailLines: String(SHOWN_LINES), limitBytes: String(MAX_BYTES) });
  const tooLate = new AbortController();
  const answered = new AbortController();
  clock.sleep(PATIENCE_MS, answered.signal).then(() => tooLate.abort(), () => {/* it was answered in time */});
  try {
    const { signal } = tooLate;
    const response = await client.raw(`${pathOf(PODS, namespace, pod, "log")}?${query}`, { signal });
    return (await response.text()).split("\n").filter((line) => line !== "");
  } catch {
    return [];
  } finally {
    answered.abort();
  }
}
