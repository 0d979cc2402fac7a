{{/* Gateways over which the traces spread: the fewest that autoscaling permits. */}}
{{- define "loopwatch.gateways" -}}
{{- with .Values.gateway }}{{ if .autoscaling.enabled }}{{ .autoscaling.minReplicas }}{{ else }}{{ .replicas }}{{ end }}{{ end -}}
{{- end }}

{{/* Traces that wait for a decision in one gateway, at the given load and headroom. */}}
{{- define "loopwatch.numTraces" -}}
{{- $sizing := .Values.sizing -}}
{{- if $sizing.numTraces -}}
{{- int $sizing.numTraces -}}
{{- else -}}
{{- $perGateway := divf .Values.traffic.tracesPerSecond (include "loopwatch.gateways" . | int) -}}
{{- max 1000 (mulf $perGateway .Values.sampling.decisionWaitSeconds $sizing.headroom | ceil | int) -}}
{{- end -}}
{{- end }}

{{/* Limit of the memory limiter of a gateway, in MiB. */}}
{{- define "loopwatch.memoryMiB" -}}
{{- $sizing := .Values.sizing -}}
{{- if $sizing.memoryMiB -}}
{{- int $sizing.memoryMiB -}}
{{- else -}}
{{- $bytes := mulf (include "loopwatch.numTraces" . | int) .Values.traffic.spansPerTrace $sizing.bytesPerSpan -}}
{{- addf $sizing.baseMiB (divf $bytes 1048576) | ceil | int -}}
{{- end -}}
{{- end }}

{{/* The container's limit: above the limiter's, for what the garbage collector has not freed yet. */}}
{{- define "loopwatch.containerMiB" -}}
{{- mulf (include "loopwatch.memoryMiB" . | int) 1.25 | ceil | int -}}
{{- end }}
