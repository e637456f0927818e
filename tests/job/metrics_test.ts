import { assertEquals } from "@std/assert";
import { Registry } from "prom-client";
import type { JobObserver } from "../../src/job/observer.ts";
import { JobMetrics } from "../../src/job/metrics.ts";
import { test } from "../support/test.ts";

test("JobMetrics shows all that a Job controller reports, under the names of kube-controller-manager", async () => {
  const registry = new Registry();
  const observer: Required<JobObserver> = new JobMetrics(registry);
  observer.synced({ completion_mode: "Indexed", result: "success", action: "pods_created" }, 0.25);
  observer.count("jobs_finished_total", {
    completion_mode: "NonIndexed",
    result: "failed",
    reason: "BackoffLimitExceeded",
  });
  observer.count("job_pods_finished_total", { completion_mode: "NonIndexed", result: "succeeded" }, 3);
  observer.count("job_finished_indexes_total", { status: "failed", backoffLimit: "perIndex" }, 2);
  observer.count("pod_failures_handled_by_failure_policy_total", { action: "FailJob" });
  observer.count("job_pods_creation_total", { reason: "new", status: "succeeded" }, 5);
  observer.count("terminated_pods_tracking_finalizer_total", { event: "add" });
  observer.count("jobs_by_external_controller_total", { controller_name: "example.com/other" });
  const lines = (await registry.metrics()).split("\n");
  const expected = [
    'job_controller_job_syncs_total{completion_mode="Indexed",result="success",action="pods_created"} 1',
    'job_controller_job_sync_duration_seconds_sum{completion_mode="Indexed",result="success",action="pods_created"} 0.25',
    'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="failed",reason="BackoffLimitExceeded"} 1',
    'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"} 3',
    'job_controller_job_finished_indexes_total{status="failed",backoffLimit="perIndex"} 2',
    'job_controller_pod_failures_handled_by_failure_policy_total{action="FailJob"} 1',
    'job_controller_job_pods_creation_total{reason="new",status="succeeded"} 5',
    'job_controller_terminated_pods_tracking_finalizer_total{event="add"} 1',
    'job_controller_terminated_pods_tracking_finalizer_total{event="delete"} 0',
    'job_controller_jobs_by_external_controller_total{controller_name="example.com/other"} 1',
  ];
  assertEquals(expected.filter((line) => !lines.includes(line)), []);
});
