/** What a Job controller writes into the status of a Job whose only Pod has succeeded. */
export function completedAt(time: string): object {
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: time,
  }));
  return { startTime: time, completionTime: time, succeeded: 1, conditions };
}
