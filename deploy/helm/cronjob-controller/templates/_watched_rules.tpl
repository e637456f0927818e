{{- /* Written by `deno task manifests`. */ -}}
{{- define "cronjob-controller.watched-rules" -}}
{{- if has "cronjob-controller.dev/v1" $.Values.apis }}
- apiGroups:
    - cronjob-controller.dev
  resources:
    - cronjobs
  verbs:
    - list
    - watch
    {{- if $.Values.notifications.webhook.url }}
    - patch
    {{- end }}
- apiGroups:
    - cronjob-controller.dev
  resources:
    - cronjobs/status
  verbs:
    - update
- apiGroups:
    - cronjob-controller.dev
  resources:
    - cronjobs/finalizers
  verbs:
    - update
{{- end }}
{{- if has "batch/v1" $.Values.apis }}
- apiGroups:
    - batch
  resources:
    - cronjobs
  verbs:
    - list
    - watch
    - patch
- apiGroups:
    - batch
  resources:
    - cronjobs/status
  verbs:
    - update
- apiGroups:
    - batch
  resources:
    - cronjobs/finalizers
  verbs:
    - update
{{- end }}
{{- if has "batch.tutorial.kubebuilder.io/v1" $.Values.apis }}
- apiGroups:
    - batch.tutorial.kubebuilder.io
  resources:
    - cronjobs
  verbs:
    - list
    - watch
    {{- if $.Values.notifications.webhook.url }}
    - patch
    {{- end }}
- apiGroups:
    - batch.tutorial.kubebuilder.io
  resources:
    - cronjobs/status
  verbs:
    - update
- apiGroups:
    - batch.tutorial.kubebuilder.io
  resources:
    - cronjobs/finalizers
  verbs:
    - update
{{- end }}
- apiGroups:
    - batch
  resources:
    - jobs
  verbs:
    - get
    - list
    - watch
    - create
    {{- if or (has "batch/v1" $.Values.apis) (or $.Values.neverTwice (hasKey $.Values.flags "default-never-twice")) }}
    - patch
    {{- end }}
    - delete
{{- if or (has (toString $.Values.jobs) (list "managed" "all")) (or $.Values.pendingTimeouts (hasKey $.Values.flags "default-pending-timeout")) }}
- apiGroups:
    - batch
  resources:
    - jobs/status
  verbs:
    {{- if has (toString $.Values.jobs) (list "managed" "all") }}
    - update
    {{- end }}
    {{- if or $.Values.pendingTimeouts (hasKey $.Values.flags "default-pending-timeout") }}
    - patch
    {{- end }}
{{- end }}
{{- if has (toString $.Values.jobs) (list "managed" "all") }}
- apiGroups:
    - batch
  resources:
    - jobs/finalizers
  verbs:
    - update
{{- end }}
- apiGroups:
    - ""
  resources:
    - pods
  verbs:
    {{- if has (toString $.Values.jobs) (list "managed" "all") }}
    - get
    {{- end }}
    - list
    {{- if has (toString $.Values.jobs) (list "managed" "all") }}
    - watch
    - create
    - patch
    - delete
    {{- end }}
- apiGroups:
    - ""
  resources:
    - events
  verbs:
    - create
    - patch
{{- end }}
