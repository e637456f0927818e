/**
 * Returns what is wrong with a CronJob, as people understand it: Kubernetes' own words for a date that never comes say
 * nothing of it.
 */
export function problemInWords({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return reason === "InvalidSchedule" ? `${message}: no date matches it, so it never runs` : message;
}
