import { type EpochMs, formatTime, parseTime } from "../../base/epoch_ms.ts";
import { PASSED_OVER, WAITING } from "./annotations.ts";
import type { StoredCronJob } from "./stored_cron_job.ts";
import type { PassedOver } from "./types.ts";

/** The scheduled times between two instants, both excluded. */
export interface Stretch {
  readonly after: EpochMs;
  readonly before: EpochMs;
}

/** Where stretches are recorded that a closed status has no room for. */
const ANNOTATIONS = { passedOver: PASSED_OVER, waiting: WAITING };

/** Reads what was recorded as passed over, or as waiting: what is no stretch counts as absent. */
export function readStretches(
  { flavour, status, metadata }: StoredCronJob,
  field: keyof typeof ANNOTATIONS,
): readonly Stretch[] {
  const texts = flavour.openStatus ? status[field] : readText(metadata.annotations?.[ANNOTATIONS[field]]);
  return (texts ?? []).flatMap((text) => {
    const after = parseTime(text.after);
    const before = parseTime(text.before);
    return after === undefined || before === undefined || after >= before ? [] : [{ after, before }];
  });
}

/** Returns the text of what is recorded; `readStretches` reads it. Undefined for none. */
export function writeStretches(stretches: readonly Stretch[]): PassedOver[] | undefined {
  if (stretches.length === 0) return undefined;
  return stretches.map(({ after, before }) => ({ after: formatTime(after), before: formatTime(before) }));
}

/** As the value of an annotation; undefined for none. */
export function stretchesText(stretches: readonly Stretch[]): string | undefined {
  return writeStretches(stretches)?.map(({ after, before }) => `${after}/${before}`).join(",");
}

function readText(text: string | undefined): Partial<PassedOver>[] | undefined {
  return text?.split(",").map((stretch) => {
    const [after, before] = stretch.split("/");
    return { after, before };
  });
}
