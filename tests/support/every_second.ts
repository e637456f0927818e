/** A CronJob of the tutorial's kind that is due each second. */
export const EVERY_SECOND = {
  apiVersion: "batch.tutorial.kubebuilder.io/v1",
  kind: "CronJob",
  metadata: { name: "often", namespace: "default" },
  spec: {
    schedule: "@every 1s",
    concurrencyPolicy: "Allow" as const,
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } },
    },
  },
};
