{{/* Prefix of names. A Service has no dot in its name, a release can; a long name keeps apart what begins alike. */}}
{{- define "loopwatch.name" -}}
{{- $name := default .Release.Name .Values.nameOverride | replace "." "-" -}}
{{- if gt (len $name) 40 }}{{ $name = printf "%s-%s" (trunc 33 $name | trimSuffix "-") (sha256sum $name | trunc 6) }}{{ end -}}
{{- $name -}}
{{- end }}

{{/* Labels of an object: (list $ "component"). */}}
{{- define "loopwatch.labels" -}}
{{- $root := index . 0 -}}
{{ include "loopwatch.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- with $root.Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "loopwatch.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: loopwatch
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Metadata of an object: (list $ "component" "name"). */}}
{{- define "loopwatch.metadata" -}}
{{- $root := index . 0 -}}
name: {{ index . 2 }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- include "loopwatch.labels" . | nindent 2 }}
{{- end }}

{{/* Image and command of a container: (list image defaultTag). With a digest, the tag only says what it is. */}}
{{- define "loopwatch.image" -}}
{{- $image := index . 0 -}}
image: {{ printf "%s:%s" $image.repository (default (index . 1) $image.tag) }}{{ with $image.digest }}@{{ . }}{{ end }}
imagePullPolicy: {{ $image.pullPolicy }}
{{- with $image.command }}
command: {{ toJson . }}
{{- end }}
{{- end }}

{{/* What all pods have: no rights on the node, no root, no token of the API unless asked for. */}}
{{- define "loopwatch.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  {{- range $key, $value := .Values.podSecurityContext }}
  {{ $key }}: {{ toJson $value }}
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "loopwatch.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Probes of a collector. */}}
{{- define "loopwatch.collectorProbes" -}}
startupProbe:
  httpGet: { path: /, port: health }
  periodSeconds: 2
  failureThreshold: 60
readinessProbe:
  httpGet: { path: /, port: health }
  periodSeconds: 5
livenessProbe:
  httpGet: { path: /, port: health }
  periodSeconds: 10
  failureThreshold: 6
{{- end }}

{{- define "loopwatch.tracesEndpoint" -}}
{{- if .Values.traces.endpoint -}}
{{- .Values.traces.endpoint -}}
{{- else if .Values.jaeger.enabled -}}
{{- printf "%s-jaeger.%s.svc:4317" (include "loopwatch.name" .) .Release.Namespace -}}
{{- else -}}
{{- fail "Expected traces.endpoint (any OTLP/gRPC backend) or jaeger.enabled, got neither." -}}
{{- end -}}
{{- end }}

{{- define "loopwatch.metricsEndpoint" -}}
{{- if regexMatch "/v1/metrics/?$" .Values.metrics.endpoint -}}
{{- fail (printf "Expected metrics.endpoint without /v1/metrics, which the collector appends, got %s." .Values.metrics.endpoint) -}}
{{- else if .Values.metrics.endpoint -}}
{{- trimSuffix "/" .Values.metrics.endpoint -}}
{{- else if .Values.prometheus.enabled -}}
{{- printf "http://%s-prometheus.%s.svc:9090/api/v1/otlp" (include "loopwatch.name" .) .Release.Namespace -}}
{{- else -}}
{{- fail "Expected metrics.endpoint (any OTLP/HTTP backend) or prometheus.enabled, got neither." -}}
{{- end -}}
{{- end }}

{{/* Address of a gateway pod, or of all gateways: (list $ index), with an empty text for all. */}}
{{- define "loopwatch.gatewayHost" -}}
{{- $root := index . 0 -}}
{{- $service := printf "%s-gateway-headless.%s.svc" (include "loopwatch.name" $root) $root.Release.Namespace -}}
{{- if eq (toString (index . 1)) "" }}{{ $service }}{{ else }}{{ printf "%s-gateway-%v.%s" (include "loopwatch.name" $root) (index . 1) $service }}{{ end -}}
{{- end }}

{{/* Fails for combinations that would lose data silently, or that would not start. */}}
{{- define "loopwatch.check" -}}
{{- $gateway := .Values.gateway -}}
{{- $scales := $gateway.autoscaling.enabled -}}
{{- if and .Values.agent.enabled (eq .Values.agent.routing "single") (or $scales (gt (int $gateway.replicas) 1)) -}}
{{- fail "Expected agent.routing static or load_balancing for more than one gateway, got single: spans of a trace would not meet." -}}
{{- end -}}
{{- if and $scales (ne .Values.agent.routing "load_balancing") -}}
{{- fail (printf "Expected agent.routing load_balancing for gateway.autoscaling, got %s, which needs a fixed number of gateways." .Values.agent.routing) -}}
{{- end -}}
{{- if and (not .Values.agent.enabled) (gt (int $gateway.replicas) 1) -}}
{{- fail "Expected agent.enabled for more than one gateway: only agents bring the spans of a trace together." -}}
{{- end -}}
{{- if and $scales (gt (int $gateway.autoscaling.minReplicas) (int $gateway.autoscaling.maxReplicas)) -}}
{{- fail (printf "Expected gateway.autoscaling.minReplicas of at most maxReplicas, got %v and %v." $gateway.autoscaling.minReplicas $gateway.autoscaling.maxReplicas) -}}
{{- end -}}
{{- $agentLimit := .Values.agent.resources.limits.memory -}}
{{- if and .Values.agent.enabled $agentLimit (ge (mulf .Values.agent.memoryLimitMiB 1048576) (include "loopwatch.bytes" $agentLimit | float64)) -}}
{{- fail (printf "Expected agent.memoryLimitMiB below agent.resources.limits.memory, got %v MiB and %v: the agent would be killed before it refuses data." .Values.agent.memoryLimitMiB $agentLimit) -}}
{{- end -}}
{{- if and .Values.jaeger.enabled (eq .Values.jaeger.storage "badger") (gt (int .Values.jaeger.replicas) 1) -}}
{{- fail "Expected jaeger.replicas 1 with the storage badger: each replica would have spans of its own." -}}
{{- end -}}
{{- if and .Values.jaeger.enabled (eq .Values.jaeger.storage "cassandra") (not (and .Values.jaeger.cassandra.servers .Values.jaeger.cassandra.secretName)) -}}
{{- fail "Expected jaeger.cassandra.servers and jaeger.cassandra.secretName with the storage cassandra." -}}
{{- end -}}
{{- end }}

{{/* On which nodes pods run, from a section of the values. */}}
{{- define "loopwatch.placement" -}}
nodeSelector: {{ toJson .nodeSelector }}
tolerations: {{ toJson .tolerations }}
affinity: {{ toJson .affinity }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* Claim of a StatefulSet, or an emptyDir: (list "name" persistent size class). */}}
{{- define "loopwatch.claim" -}}
volumeClaimTemplates:
  - metadata: { name: {{ index . 0 }} }
    spec:
      accessModes: [ReadWriteOnce]
      {{- with index . 3 }}
      storageClassName: {{ . }}
      {{- end }}
      resources: { requests: { storage: {{ index . 2 }} } }
{{- end }}
