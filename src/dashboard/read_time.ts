import type { EpochMs } from "../schedule/epoch_ms.ts";

/** Reads a time as people write it: what the command line takes. @throws {Error} saying how it may be written */
export type ReadTime = (
  text: string,
  what: string,
  options: { readonly now: EpochMs; readonly zone: string; readonly towards: "past" | "future" },
) => EpochMs;
