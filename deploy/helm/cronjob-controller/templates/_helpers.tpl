{{- define "cronjob-controller.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end }}
{{- end }}
{{- end }}

{{/* Not empty if the controller runs Pods of Jobs. */}}
{{- define "cronjob-controller.runsJobs" -}}
{{- if has (toString .Values.jobs) (list "managed" "all") }}true{{ end }}
{{- end }}

{{/* Not empty if CronJobs may end Jobs whose Pods never start. */}}
{{- define "cronjob-controller.pendingTimeouts" -}}
{{- if or .Values.pendingTimeouts (hasKey .Values.flags "default-pending-timeout") }}true{{ end }}
{{- end }}

{{/* Not empty if CronJobs may keep the names of their Jobs taken. */}}
{{- define "cronjob-controller.neverTwice" -}}
{{- if or .Values.neverTwice (index .Values.flags "default-never-twice") }}true{{ end }}
{{- end }}

{{/* Not empty if a Job frees these names after the release. With jobs=all nothing is left that would run it. */}}
{{- define "cronjob-controller.freesNames" -}}
{{- if and (include "cronjob-controller.neverTwice" .) .Values.freeNamesOnUninstall (ne (toString .Values.jobs) "all") -}}
true
{{- end }}
{{- end }}

{{/* The Secrets that a replica reads, by the names of their volumes: each is mounted under /etc/cronjob-controller. */}}
{{- define "cronjob-controller.secrets" -}}
{{- if eq .Values.dashboard.kind "tls" }}
dashboard-tls: {{ .Values.dashboard.secret | quote }}
{{- end }}
{{- with .Values.notifications }}
{{- if and .webhook.url .webhook.secret }}
notify-secret: {{ .webhook.secret | quote }}
{{- end }}
{{- if .pings.url }}
ping-key: {{ .pings.secret | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* The rules for the namespaces whose CronJobs run. files/rules.yaml lists the rules that each value brings. */}}
{{- define "cronjob-controller.watchedRules" -}}
{{- $rules := .Files.Get "files/rules.yaml" | fromYaml }}
{{- $granted := $rules.always }}
{{- range $api := .Values.apis }}
  {{- $granted = concat $granted (index $rules.apis $api) }}
  {{- if $.Values.notifications.webhook.url }}
    {{- $granted = concat $granted (index $rules.webhook $api) }}
  {{- end }}
{{- end }}
{{- range $value := list "runsJobs" "pendingTimeouts" "neverTwice" }}
  {{- if include (printf "cronjob-controller.%s" $value) $ }}
    {{- $granted = concat $granted (index $rules $value) }}
  {{- end }}
{{- end }}
{{- toYaml $granted }}
{{- end }}

{{/* The rules of a NetworkPolicy that let requests out to the API server. */}}
{{- define "cronjob-controller.egress" -}}
- to:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: kube-system
      podSelector:
        matchLabels:
          k8s-app: kube-dns
  ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
# The API server: on most clusters; of kubeadm, k3s, kind; of minikube; of MicroK8s.
- ports:
    {{- range list 443 6443 8443 16443 }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
{{- end }}

{{/*
The rule of a NetworkPolicy that lets requests out to a URL. Policies know addresses and namespaces: the host of a Service
is NAME, NAME.NAMESPACE.svc, or over plain HTTP NAME.NAMESPACE, unless the last label is that of a domain.
*/}}
{{- define "cronjob-controller.egressTo" -}}
{{- $url := urlParse . }}
{{- $isPlain := eq $url.scheme "http" }}
{{- $host := lower $url.hostname }}
{{- $labels := splitList "." $host }}
{{- $namespace := "" }}
{{- if gt (len $labels) 1 }}
  {{- $namespace = index $labels 1 }}
{{- end }}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary "80" "443" $isPlain) }}
{{- $domains := list "local" "localdomain" "lan" "home" "internal" "intranet" "corp" "com" "org" "net" }}
{{- $isService := and $isPlain (eq (len $labels) 2) (not (has $namespace $domains)) }}
{{- if gt (len $labels) 2 }}
  {{- $isService = eq (index $labels 2) "svc" }}
{{- end }}
{{- if or (regexMatch "^[0-9.]+$" $host) (contains ":" $host) -}}
- to:
    - ipBlock:
        cidr: {{ $host }}/{{ ternary "128" "32" (contains ":" $host) }}
  ports:
    - port: {{ $port }}
      protocol: TCP
{{- else if eq (len $labels) 1 -}}
- to:
    - podSelector: {}
{{- else if and $namespace $isService -}}
- to:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: {{ $namespace | quote }}
{{- else -}}
- ports:
    - port: {{ $port }}
      protocol: TCP
{{- end }}
{{- end }}

{{/* What the Pods of the chart have in common. */}}
{{- define "cronjob-controller.podSpec" -}}
automountServiceAccountToken: true
enableServiceLinks: false
nodeSelector:
  kubernetes.io/os: linux
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  # Volumes of Secrets are root's, and closed to others.
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.pod }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What their containers have in common. */}}
{{- define "cronjob-controller.container" -}}
image: {{ include "cronjob-controller.image" . | quote }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
  privileged: false
  readOnlyRootFilesystem: true
{{- end }}
