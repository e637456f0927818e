import type { BackfillProgress, BackfillReading } from "../../cronjob/api/backfill.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import { printable } from "../../telemetry/printable.ts";
import { complain } from "../print/complain.ts";
import { countsText } from "../print/counted.ts";
import { ProgressLine } from "../print/progress.ts";
import { patiently } from "../shared/patiently.ts";
import { listenForStop, sleepUnless } from "../signals.ts";

/** The time between two looks. */
const LOOK_MS = 500;
/** How long a controller may take to answer before the user hears of it. */
const PATIENCE_MS = 10_000;

/** Waits for the end of a back-fill, and leaves as exit code whether all of its runs succeeded. */
export async function followBackfill(
  client: KubeClient,
  { cronJob, id }: { cronJob: CronJob; id: string },
  clock: Clock,
): Promise<void> {
  const { flavour, metadata: { namespace, name, uid } } = cronJob;
  using stop = listenForStop();
  using progress = new ProgressLine();
  const begun = clock.monotonic();
  let wasTold = false;
  const look = () => client.get(flavour.resource, { namespace, name });
  for (;;) {
    const object = await patiently(look, { clock, stopped: stop.signal });
    if (!object) break;
    if (object.metadata.uid !== uid) throw new Error(`${name} was deleted, and another of its name is there`);
    const { recordedBackfill: recorded, backfill: asked } = readCronJob(flavour, withType(flavour, object));
    if (recorded?.id === id) {
      progress.show(progressOf(recorded));
      if (recorded.state !== "Running") return tellEnd(name, recorded, progress);
    } else if (isGone(asked, id)) {
      progress.clear();
      const why = asked.kind === "backfill" ? `back-fill ${asked.backfill.id} took its place` : "it was cancelled";
      console.log(`${name} back-fill ends: ${why}`);
      Deno.exitCode = 1;
      return;
    } else if (!wasTold && clock.monotonic() - begun > PATIENCE_MS) {
      wasTold = true;
      complain("No controller has answered yet; the request stays if you stop waiting");
    }
    await sleepUnless(stop.signal, clock, LOOK_MS);
  }
  progress.clear();
  complain("The back-fill goes on; backfill --cancel ends it");
  Deno.exitCode = 1;
}

/** Returns whether a back-fill is no longer asked for. An unreadable request may be a slip of the pen. */
function isGone(asked: BackfillReading, id: string): boolean {
  return asked.kind === "none" || (asked.kind === "backfill" && asked.backfill.id !== id);
}

function tellEnd(name: string, recorded: BackfillProgress, progress: ProgressLine): void {
  const { state, message, failed } = recorded;
  progress.clear();
  console.log(
    `${name} back-fill ${state.toLowerCase()}: ${progressOf(recorded)}${message ? `; ${printable(message)}` : ""}`,
  );
  Deno.exitCode = state === "Completed" && failed === 0 ? 0 : 1;
}

function progressOf({ slots, succeeded, failed, gone, skipped, active }: BackfillProgress): string {
  const done = succeeded + failed + gone + skipped;
  const counts = countsText([
    [succeeded, "succeeded"],
    [failed, "failed"],
    [gone, "gone"],
    [skipped, "had run before"],
    [active.length, "active"],
  ]);
  return `${done} of ${slots} done${counts === "" ? "" : `: ${counts}`}`;
}
