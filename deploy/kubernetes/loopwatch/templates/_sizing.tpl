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

{{/* A quantity of Kubernetes, such as 10Gi or a number, in bytes. */}}
{{- define "loopwatch.bytes" -}}
{{- $units := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "" 1 -}}
{{- $text := kindIs "string" . | ternary (toString .) (float64 . | printf "%.0f") -}}
{{- $number := regexFind "^[0-9.]+" $text -}}
{{- mulf (float64 $number) (get $units (trimPrefix $number $text)) | floor | int64 -}}
{{- end }}

{{/*
Size of a queue in bytes of OTLP: (list "size of its volume" percent). An entry takes up to 2.6 times its size on the
disk, so the queues of a volume have 38 % of it together: a full disk would lose what was accepted.
*/}}
{{- define "loopwatch.queueBytes" -}}
{{- divf (mulf (include "loopwatch.bytes" (index . 0) | int64) (index . 1)) 100 | floor | int64 -}}
{{- end }}
