{{/*
Configuration of a gateway: otel-collector-config.yaml of the project, with the backends, the sizes and the routing of
the values. Addresses stay those of its environment.
*/}}
{{- define "loopwatch.gatewayConfig" -}}
{{- $values := .Values -}}
{{- $config := fromYaml (.Files.Get "files/otel-collector-config.yaml") -}}
{{- $processors := $config.processors -}}
{{- $pipelines := $config.service.pipelines -}}
{{- $_ := set $processors.tail_sampling "num_traces" (include "loopwatch.numTraces" . | int) -}}
{{- $_ := set $processors.memory_limiter "spike_limit_mib" (div (include "loopwatch.memoryMiB" . | int) 5) -}}
{{- range $name := list "otlp_grpc/jaeger" "otlp_grpc/jaeger_blocks" -}}
{{- $exporter := index $config.exporters $name -}}
{{- $_ := set $exporter "tls" $values.traces.tls -}}
{{- with $values.traces.headers }}{{ $_ := set $exporter "headers" . }}{{ end -}}
{{- end -}}
{{- $prometheus := index $config.exporters "otlp_http/prometheus" -}}
{{- $_ := set $prometheus "tls" $values.metrics.tls -}}
{{- with $values.metrics.headers }}{{ $_ := set $prometheus "headers" . }}{{ end -}}
{{- $_ := set $config.service "telemetry" (include "loopwatch.telemetry" (list . "loopwatch-gateway" "${env:POD_NAME}") | fromYaml) -}}
{{- if and $values.agent.enabled (ne $values.agent.routing "single") -}}
{{- include "loopwatch.spanMetricsByService" $config -}}
{{- end -}}
{{- if eq $values.cardinality.mode "fleet" -}}
{{- include "loopwatch.aggregate" (list . $config) -}}
{{- end -}}
{{- toYaml $config -}}
{{- end }}

{{/*
Several gateways: agents send each span twice, by trace id for sampling and by service for span metrics, so that one
gateway has all spans of a trace, and one counts all spans of a service.
*/}}
{{- define "loopwatch.spanMetricsByService" -}}
{{- $_ := set .receivers "otlp/span_metrics" (dict "protocols" (dict "grpc" (dict "endpoint" ":4319" "max_recv_msg_size_mib" 16))) -}}
{{- $_ := set .connectors "forward/block_metrics" nil -}}
{{- $pipelines := .service.pipelines -}}
{{- $_ := set (index $pipelines "traces/received") "exporters" (list "forward/blocks" "forward/sampled") -}}
{{- $_ := set $pipelines "traces/span_metrics" (dict "receivers" (list "otlp/span_metrics") "processors" (list "memory_limiter" "transform/instance") "exporters" (list "forward/monitor" "forward/block_metrics")) -}}
{{- $_ := set (index $pipelines "traces/blocks") "exporters" (list "otlp_grpc/jaeger_blocks") -}}
{{- $_ := set $pipelines "traces/block_metrics" (dict "receivers" (list "forward/block_metrics") "processors" (list "filter/only_blocks") "exporters" (list "span_metrics/blocks")) -}}
{{- end }}

{{/* The mode fleet of `cardinality`: what each process says of its blocks is summed up, functions are counted by service. */}}
{{- define "loopwatch.aggregate" -}}
{{- $root := index . 0 -}}
{{- $config := index . 1 -}}
{{- $pipelines := $config.service.pipelines -}}
{{- $statements := fromYaml ($root.Files.Get "files/aggregation.yaml") -}}
{{- $_ := set $config "processors" (mustMerge $config.processors $statements) -}}
{{- with $root.Values.cardinality.lagBoundaries -}}
{{- $merged := list -}}
{{- range $boundary := without (list 0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1.0 2.5 5.0 10.0 30.0 60.0) -}}
{{- $keep := false -}}
{{- range $root.Values.cardinality.lagBoundaries }}{{ if eq (float64 .) $boundary }}{{ $keep = true }}{{ end }}{{ end -}}
{{- if not $keep }}{{ $merged = append $merged (printf "merge_histogram_buckets(%s) where metric.name == \"event_loop.lag\" and metric.type == METRIC_DATA_TYPE_HISTOGRAM" (ternary (printf "%v.0" $boundary) (toString $boundary) (eq (floor $boundary) $boundary))) }}{{ end -}}
{{- end -}}
{{- $transform := index $config.processors "transform/sum_of_process" -}}
{{- $_ := set $transform "metric_statements" (append $transform.metric_statements (dict "context" "datapoint" "statements" $merged)) -}}
{{- end -}}
{{- $received := index $pipelines "metrics/received" -}}
{{- $_ := set $received "processors" (concat $received.processors (list "transform/sum_of_process" "filter/without_thread_details")) -}}
{{- $dimensions := list -}}
{{- range (index $config.connectors "span_metrics/blocks").dimensions }}{{ if not (has .name (list "service.instance.id" "thread.name")) }}{{ $dimensions = append $dimensions . }}{{ end }}{{ end -}}
{{- $_ := set (index $config.connectors "span_metrics/blocks") "dimensions" $dimensions -}}
{{- $_ := set (index $config.connectors "span_metrics/blocks") "aggregation_cardinality_limit" 20000 -}}
{{- $blocks := index $pipelines "traces/blocks" -}}
{{- if hasKey $config.connectors "forward/block_metrics" -}}
{{- $_ := set (index $pipelines "traces/block_metrics") "processors" (list "filter/only_blocks" "transform/service_only") -}}
{{- else -}}
{{- $_ := set $config.connectors "forward/block_metrics" nil -}}
{{- $_ := set $blocks "exporters" (list "otlp_grpc/jaeger_blocks" "forward/block_metrics") -}}
{{- $_ := set $pipelines "traces/block_metrics" (dict "receivers" (list "forward/block_metrics") "processors" (list "transform/service_only") "exporters" (list "span_metrics/blocks")) -}}
{{- end -}}
{{- $_ := set (index $pipelines "traces/monitor") "processors" (list "filter/only_entries" "transform/service_only") -}}
{{- end }}
