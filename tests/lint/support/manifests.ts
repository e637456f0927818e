/** Of the spec of a CronJob. */
export const TEMPLATE = `  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: busybox}]
`;

/** A CronJob with these lines in its spec, which begins at line 5. */
export function batch(spec: string, metadata = "{name: report}"): string {
  const text = `apiVersion: batch/v1\nkind: CronJob\nmetadata: ${metadata}\nspec:\n${spec}\n`;
  return spec.includes("jobTemplate") ? text : text + TEMPLATE;
}

/** The same of the tutorial's kind. */
export function tutorial(spec: string, metadata?: string): string {
  const limits = "  successfulJobsHistoryLimit: 3\n  failedJobsHistoryLimit: 1\n";
  return batch(spec, metadata).replace("batch/v1", "batch.tutorial.kubebuilder.io/v1") + limits;
}

/** A field without which there is a finding. */
export const OK = "  startingDeadlineSeconds: 60";
