// Written by `deno task manifests`.
{
  _config+:: {
    // The page with a section for each alert.
    runbookUrl: "https://cronjob-controller.dev/docs/how-to/alerts.md",
    // Whether CronJobs of the CRDs also have the names of kube-state-metrics.
    kubeStateMetricsRules: false,
  },
  prometheusAlerts+:: {
    groups+: [
  {
    "name": "cronjobs",
    "rules": [
      {
        "alert": "CronJobOverdue",
        "expr": "max by (api_version, namespace, cronjob) (cronjob_controller_cronjob_overdue) == 1\nunless\nmax by (api_version, namespace, cronjob) (cronjob_controller_cronjob_active) > 0\n",
        "for": "10m",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "A run of CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} is due and was not started.",
          "description": "For more than 10 minutes a run of the {{ $labels.api_version }} CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} has been due, and none is under way.",
          "runbook_url": $._config.runbookUrl + "#cronjoboverdue"
        }
      },
      {
        "alert": "CronJobBlocked",
        "expr": "max by (api_version, namespace, cronjob) (cronjob_controller_cronjob_overdue) == 1\nand\nmax by (api_version, namespace, cronjob) (cronjob_controller_cronjob_active) > 0\n",
        "for": "1h",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "Runs of CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} wait for one that does not end.",
          "description": "For more than an hour a run of the {{ $labels.api_version }} CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} has been under way while others were due, which its concurrency policy does not let start.",
          "runbook_url": $._config.runbookUrl + "#cronjobblocked"
        }
      },
      {
        "alert": "CronJobLastRunFailed",
        "expr": "max by (api_version, namespace, cronjob) (cronjob_controller_cronjob_consecutive_failures) > 0 < 3\n",
        "labels": {
          "severity": "info"
        },
        "annotations": {
          "summary": "The last run of CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} failed.",
          "description": "The last {{ $value }} run(s) of the {{ $labels.api_version }} CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} failed.",
          "runbook_url": $._config.runbookUrl + "#cronjoblastrunfailed-and-cronjobfailing"
        }
      },
      {
        "alert": "CronJobFailing",
        "expr": "max by (api_version, namespace, cronjob) (cronjob_controller_cronjob_consecutive_failures) >= 3\n",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} failed {{ $value }} times in a row.",
          "description": "The last {{ $value }} runs of the {{ $labels.api_version }} CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} failed, with no success between them.",
          "runbook_url": $._config.runbookUrl + "#cronjoblastrunfailed-and-cronjobfailing"
        }
      },
      {
        "alert": "CronJobRunsMissed",
        "expr": "sum by (api_version, namespace, cronjob, reason) (\n  (\n    cronjob_controller_cronjob_missed_total\n    unless\n    last_over_time(cronjob_controller_cronjob_missed_total[1h] offset 1h)\n  )\n  or\n  increase(cronjob_controller_cronjob_missed_total[1h])\n) > 0\n",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} missed runs in the last hour.",
          "description": "In the last hour it was found that the {{ $labels.api_version }} CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} had about {{ printf \"%.0f\" $value }} scheduled time(s) that got no Job ({{ $labels.reason }}).",
          "runbook_url": $._config.runbookUrl + "#cronjobrunsmissed"
        }
      },
      {
        "alert": "CronJobNotFollowed",
        "expr": "max by (api_version, namespace, cronjob, reason) (cronjob_controller_cronjob_not_followed) == 1",
        "for": "5m",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} starts nothing ({{ $labels.reason }}).",
          "description": "For more than 5 minutes no run of the {{ $labels.api_version }} CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} could start, although it is not suspended: {{ $labels.reason }}. Its condition Ready, its events and the controller's log say why.",
          "runbook_url": $._config.runbookUrl + "#cronjobnotfollowed"
        }
      },
      {
        "alert": "CronJobExpectationUnmet",
        "expr": "max by (api_version, namespace, cronjob, reason) (cronjob_controller_cronjob_expectation_unmet) == 1",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "A run of CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} is {{ $labels.reason }}.",
          "description": "The newest run of the {{ $labels.api_version }} CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} does not do what its spec.expect, or its annotation expect, says: {{ $labels.reason }}. Its condition ExpectationsMet and the command status say which run, and what was found.",
          "runbook_url": $._config.runbookUrl + "#cronjobexpectationunmet"
        }
      },
      {
        "alert": "CronJobContested",
        "expr": "max by (api_version, namespace, cronjob) (cronjob_controller_cronjob_contested) == 1",
        "for": "5m",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} has two controllers.",
          "description": "Another controller runs the {{ $labels.api_version }} CronJob {{ $labels.namespace }}/{{ $labels.cronjob }}, too. Its events say why: it is adopted, but a user has set its spec.suspend back (NotSuspended), or two controllers run it (MultipleControllers).",
          "runbook_url": $._config.runbookUrl + "#cronjobcontested"
        }
      },
      {
        "alert": "CronJobRanAhead",
        "expr": "max by (api_version, namespace, cronjob) (cronjob_controller_cronjob_ran_ahead) == 1",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "A run of CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} was started before its time.",
          "description": "The last scheduled time of the {{ $labels.api_version }} CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} is still to come: the controller's clock was ahead.",
          "runbook_url": $._config.runbookUrl + "#cronjobranahead"
        }
      }
    ]
  },
  {
    "name": "cronjob-controller",
    "rules": [
      {
        "alert": "CronJobControllerDown",
        "expr": "absent(cronjob_controller_build_info)",
        "for": "5m",
        "labels": {
          "severity": "critical"
        },
        "annotations": {
          "summary": "No cronjob-controller can be seen.",
          "description": "For more than 5 minutes no cronjob-controller has been scraped: no CronJob runs, or no one would know if none did.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollerdown"
        }
      },
      {
        "alert": "CronJobControllerReplicaDown",
        "expr": "up == 0\nand on (namespace, job, instance)\nlast_over_time(cronjob_controller_build_info[1h])\n",
        "for": "10m",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "A cronjob-controller does not answer.",
          "description": "For more than 10 minutes {{ $labels.pod }} ({{ $labels.instance }}) has not answered Prometheus, although it is still a target.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollerreplicadown"
        }
      },
      {
        "alert": "CronJobControllerNoLeader",
        "expr": "sum by (namespace, job, name) (\n  leader_election_master_status\n  * on (namespace, job, instance) group_left () cronjob_controller_build_info\n) == 0\n",
        "for": "2m",
        "labels": {
          "severity": "critical"
        },
        "annotations": {
          "summary": "No cronjob-controller leads.",
          "description": "For more than 2 minutes no replica has held the Lease {{ $labels.name }}: no CronJob runs.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollernoleader"
        }
      },
      {
        "alert": "CronJobControllerTwoLeaders",
        "expr": "sum by (namespace, job, name) (\n  leader_election_master_status\n  * on (namespace, job, instance) group_left () cronjob_controller_build_info\n) > 1\n",
        "for": "2m",
        "labels": {
          "severity": "critical"
        },
        "annotations": {
          "summary": "Several cronjob-controllers believe that they lead.",
          "description": "For more than 2 minutes {{ $value }} replicas have said that they hold the Lease {{ $labels.name }}.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollertwoleaders"
        }
      },
      {
        "alert": "CronJobControllerNotFollowing",
        "expr": "kubernetes_healthcheck{type=\"readyz\", name=~\"(cache|watch)/.+\"} == 0\nand on (namespace, job, instance)\ncronjob_controller_build_info\n",
        "for": "5m",
        "labels": {
          "severity": "critical"
        },
        "annotations": {
          "summary": "A cronjob-controller does not follow what happens in the cluster.",
          "description": "For more than 5 minutes the check {{ $labels.name }} of {{ $labels.pod }} ({{ $labels.instance }}) has failed: it does not see changes of these objects.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollernotfollowing"
        }
      },
      {
        "alert": "CronJobControllerStuck",
        "expr": "(\n  kubernetes_healthcheck{type=\"readyz\", name=~\"(queue|work)/.+\"} == 0\n  or\n  workqueue_longest_running_processor_seconds > 600\n)\nand on (namespace, job, instance)\ncronjob_controller_build_info\n",
        "for": "5m",
        "labels": {
          "severity": "critical"
        },
        "annotations": {
          "summary": "The work queue of a cronjob-controller is stuck.",
          "description": "For more than 5 minutes {{ $labels.name }} of {{ $labels.pod }} ({{ $labels.instance }}) has been stuck: objects that need work do not get their turn, or work on one does not end.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollerstuck"
        }
      },
      {
        "alert": "CronJobControllerReconcileErrors",
        "expr": "sum by (namespace, job, controller) (\n  rate(controller_runtime_reconcile_errors_total[10m])\n  * on (namespace, job, instance) group_left () cronjob_controller_build_info\n) > 0.05\n",
        "for": "15m",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "The controller {{ $labels.controller }} keeps failing on some object.",
          "description": "For more than 15 minutes {{ printf \"%.2f\" $value }} reconciliations a second of the controller {{ $labels.controller }} have failed.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollerreconcileerrors"
        }
      },
      {
        "alert": "CronJobControllerStartsLate",
        "expr": "histogram_quantile(\n  0.99,\n  sum by (le) (rate(cronjob_controller_job_creation_skew_duration_seconds_bucket[10m]))\n) > 30\n",
        "for": "15m",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "Jobs are created late.",
          "description": "For more than 15 minutes one in a hundred Jobs has been created at least {{ printf \"%.0f\" $value }} seconds after its scheduled time.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollerstartslate"
        }
      },
      {
        "alert": "CronJobControllerNotificationsFail",
        "expr": "sum by (namespace, job, channel) (\n  increase(cronjob_controller_notifications_total{outcome=~\"failed|dropped\"}[15m])\n) > 0\nunless\nsum by (namespace, job, channel) (\n  increase(cronjob_controller_notifications_total{outcome=\"sent\"}[15m])\n) > 0\n",
        "for": "10m",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "Notifications of cronjob-controller do not arrive.",
          "description": "For more than 10 minutes nothing has got through by the channel {{ $labels.channel }}, and {{ printf \"%.0f\" $value }} attempts failed in 15 minutes.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollernotificationsfail"
        }
      },
      {
        "alert": "CronJobControllerApiErrors",
        "expr": "sum by (namespace, job) (\n  rate(rest_client_requests_total{code=~\"429|5..|<error>\"}[5m])\n  * on (namespace, job, instance) group_left () cronjob_controller_build_info\n)\n/\nsum by (namespace, job) (\n  rate(rest_client_requests_total[5m])\n  * on (namespace, job, instance) group_left () cronjob_controller_build_info\n)\n> 0.05\n",
        "for": "10m",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "The API server fails requests of cronjob-controller.",
          "description": "For more than 10 minutes {{ $value | humanizePercentage }} of the requests to the API server have failed, were turned away, or got no answer.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollerapierrors"
        }
      },
      {
        "alert": "CronJobControllerUnauthorized",
        "expr": "sum by (namespace, job) (\n  rate(rest_client_requests_total{code=\"401\"}[5m])\n  * on (namespace, job, instance) group_left () cronjob_controller_build_info\n) > 0\n",
        "for": "10m",
        "labels": {
          "severity": "critical"
        },
        "annotations": {
          "summary": "The API server does not accept the token of cronjob-controller.",
          "description": "For more than 10 minutes the API server has answered requests with 401 Unauthorized.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollerunauthorized"
        }
      },
      {
        "alert": "CronJobControllerForbidden",
        "expr": "sum by (namespace, job, method) (\n  rate(rest_client_requests_total{code=\"403\"}[5m])\n  * on (namespace, job, instance) group_left () cronjob_controller_build_info\n) > 0\n",
        "for": "15m",
        "labels": {
          "severity": "warning"
        },
        "annotations": {
          "summary": "The API server forbids requests of cronjob-controller.",
          "description": "For more than 15 minutes {{ $labels.method }} requests have been answered with 403 Forbidden.",
          "runbook_url": $._config.runbookUrl + "#cronjobcontrollerforbidden"
        }
      }
    ]
  }
],
  },
  prometheusRules+:: {
    groups+: if $._config.kubeStateMetricsRules then [
  {
    "name": "cronjob-controller.kube-state-metrics",
    "rules": [
      {
        "record": "kube_cronjob_info",
        "expr": "max by (api_version, namespace, cronjob, schedule, timezone, concurrency_policy) (\n  cronjob_controller_cronjob_info{api_version!=\"batch/v1\"}\n)\nor on (api_version, namespace, cronjob)\ngroup by (api_version, namespace, cronjob) (\n  {__name__=~\"cronjob_controller_cronjob_.+\", api_version!=\"batch/v1\"}\n)\n"
      },
      {
        "record": "kube_cronjob_spec_suspend",
        "expr": "max by (api_version, namespace, cronjob) (cronjob_controller_cronjob_suspended{api_version!=\"batch/v1\"})\nor\n0 * max by (api_version, namespace, cronjob) (kube_cronjob_info{api_version!=\"\"})\n"
      },
      {
        "record": "kube_cronjob_status_active",
        "expr": "max by (api_version, namespace, cronjob) (\n  cronjob_controller_cronjob_active{api_version!=\"batch/v1\"}\n  and on (api_version, namespace, cronjob)\n  cronjob_controller_cronjob_info\n)\n"
      },
      {
        "record": "kube_cronjob_next_schedule_time",
        "expr": "max by (api_version, namespace, cronjob) (\n  cronjob_controller_cronjob_next_run_timestamp_seconds{api_version!=\"batch/v1\"}\n)\n"
      },
      {
        "record": "kube_cronjob_status_last_schedule_time",
        "expr": "max by (api_version, namespace, cronjob) (\n  cronjob_controller_cronjob_last_schedule_timestamp_seconds{api_version!=\"batch/v1\"}\n)\n"
      },
      {
        "record": "kube_cronjob_status_last_successful_time",
        "expr": "max by (api_version, namespace, cronjob) (\n  cronjob_controller_cronjob_last_success_timestamp_seconds{api_version!=\"batch/v1\"}\n)\n"
      }
    ]
  }
] else [],
  },
  grafanaDashboards+:: {
    "cronjob-controller.json": import "dashboard.json",
  },
}
