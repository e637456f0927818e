import type { DeepReadonly } from "../../kube/object.ts";
import { type EpochMs, formatTime, parseTime } from "../../schedule/epoch_ms.ts";
import { PASSED_OVER } from "./annotations.ts";
import type { Flavour } from "./flavour.ts";
import type { CronJobObject, PassedOver } from "./types.ts";

/** The scheduled times between two that were started, both excluded. */
export interface Stretch {
  readonly after: EpochMs;
  readonly before: EpochMs;
}

/** Reads what was recorded as passed over: what is no stretch counts as absent. */
export function readPassedOver(
  { openStatus }: Flavour,
  { status, metadata }: DeepReadonly<CronJobObject>,
): readonly Stretch[] {
  const texts = openStatus ? status?.passedOver : readText(metadata.annotations?.[PASSED_OVER]);
  return (texts ?? []).flatMap((text) => {
    const after = parseTime(text.after);
    const before = parseTime(text.before);
    return after === undefined || before === undefined || after >= before ? [] : [{ after, before }];
  });
}

/** Returns the text of what is recorded; `readPassedOver` reads it. */
export function writePassedOver(stretches: readonly Stretch[]): PassedOver[] {
  return stretches.map(({ after, before }) => ({ after: formatTime(after), before: formatTime(before) }));
}

/** As the value of an annotation; undefined for none. */
export function passedOverText(stretches: readonly Stretch[]): string | undefined {
  if (stretches.length === 0) return undefined;
  return writePassedOver(stretches).map(({ after, before }) => `${after}/${before}`).join(",");
}

function readText(text: string | undefined): Partial<PassedOver>[] | undefined {
  return text?.split(",").map((stretch) => {
    const [after, before] = stretch.split("/");
    return { after, before };
  });
}
