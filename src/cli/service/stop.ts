import type { Clock } from "../../base/clock.ts";
import { callQuietly, callShown, succeeds } from "./calls.ts";
import type { Place, Supervisor } from "./supervisor.ts";

type Waiting = Pick<Clock, "monotonic" | "sleep">;

const GONE_WITHIN_MS = 30_000;

/** Stops the service, and resolves once its supervisor has let go of it. */
export async function stopService(supervisor: Supervisor, place: Place, clock: Waiting): Promise<void> {
  const probe = supervisor.isLoaded?.(place);
  for (const call of supervisor.stop(place)) await (probe ? callQuietly(call) : callShown(call));
  if (!probe) return;
  const deadline = clock.monotonic() + GONE_WITHIN_MS;
  while (await succeeds(probe)) {
    if (clock.monotonic() > deadline) throw new Error(`The service does not stop: ${probe.join(" ")} still shows it`);
    await clock.sleep(200);
  }
}
