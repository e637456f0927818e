/** One entry of `spec.exclude`, in one of three forms: dates, a span, or a window that comes again and again. */
export interface Exclusion {
  /** `2026-12-25`, or `--12-31` for each year. */
  readonly dates?: readonly string[];
  /** A date, a local time such as `2026-12-24T18:00`, or RFC 3339. A date as `to` is excluded as well, a time is not. */
  readonly from?: string;
  readonly to?: string;
  /** The times at which a window begins, and how long it lasts. @default a minute */
  readonly schedule?: string;
  readonly duration?: string;
}

/** The treatment of excluded times: nothing runs, or one run at the end of each stretch that held one at least. */
export type OnExcluded = "Skip" | "RunAfter";
