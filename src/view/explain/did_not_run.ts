import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Look } from "../look.ts";
import { timeInWords } from "./asked_time.ts";
import type { Verdict, VerdictKind } from "./explanation.ts";

/** Returns the verdict on a time that has come, and of which there is no run. */
export function did(kind: VerdictKind, time: EpochMs, look: Look, what: string, why?: string): Verdict {
  return { kind, message: `did NOT run at ${timeInWords(time, look)}: ${what}`, why };
}
