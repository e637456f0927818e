import { unlessAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { ApiError } from "../../kube/api_error.ts";
import { UnreachableError } from "../../kube/unreachable_error.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import { Complaints } from "../print/complain.ts";
import { sleepUnless } from "../signals.ts";

/** Between two tries. */
const TRY_MS = 1_000;

/**
 * Returns the result of `read`. An outage of the API server is complained of once, and `read` is called again until it is over:
 * a command that follows a run ends with the run. Undefined once `stopped` is aborted.
 *
 * @throws any other error of `read`
 */
export async function patiently<T>(
  read: () => Promise<T>,
  { clock, stopped }: { readonly clock: Clock; readonly stopped: AbortSignal },
): Promise<T | undefined> {
  const complaints = new Complaints();
  while (!stopped.aborted) {
    try {
      return await unlessAborted(read(), stopped);
    } catch (error) {
      if (!mayPass(error)) throw error;
      complaints.once(`${firstLineOf(error)}; asking again until there is an answer`);
    }
    await sleepUnless(stopped, clock, TRY_MS);
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof UnreachableError ||
    (error instanceof ApiError && (error.code === 429 || error.code >= 500));
}
