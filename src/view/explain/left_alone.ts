import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { Look } from "../look.ts";
import { timeInWords } from "./asked_time.ts";
import type { Verdict } from "./explanation.ts";

/**
 * Returns the verdict on a time of a CronJob that is contested: by which schedule kube-controller-manager runs it, and
 * whether that is there, is not to be seen.
 */
export function leftAlone(look: Look, time: EpochMs): Verdict | undefined {
  const { cronJob: { stewardship }, now } = look.input;
  if (!stewardship.isContested) return undefined;
  const may = time > now ? "may run" : "may have run";
  const message = `${may} at ${timeInWords(time, look)}, or not: this controller leaves it alone`;
  return { kind: "Unknown", message, why: stewardship.closed!.message };
}
