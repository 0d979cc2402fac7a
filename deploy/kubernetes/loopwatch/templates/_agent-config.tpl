{{/* Configuration of an agent: names the pod of each process, and sends to the gateways. */}}
{{- define "loopwatch.agentConfig" -}}
{{- $root := . -}}
{{- $routing := .Values.agent.routing -}}
{{- $base := fromYaml (.Files.Get "files/otel-collector-config.yaml") -}}
extensions:
  health_check:
    endpoint: ${env:LOOPWATCH_COLLECTOR_HEALTH_ENDPOINT}
  file_storage:
    {{- toYaml $base.extensions.file_storage | nindent 4 }}
receivers:
  otlp:
    {{- toYaml $base.receivers.otlp | nindent 4 }}
processors:
  memory_limiter:
    check_interval: 1s
    limit_mib: {{ .Values.agent.memoryLimitMiB }}
    spike_limit_mib: {{ div (int .Values.agent.memoryLimitMiB) 5 }}
  # Only pods of this node, known by the address of the connection or by the address that the SDK sends.
  k8s_attributes:
    auth_type: serviceAccount
    filter:
      node_from_env_var: K8S_NODE_NAME
    pod_association:
      - sources: [{ from: resource_attribute, name: k8s.pod.uid }]
      - sources: [{ from: resource_attribute, name: k8s.pod.ip }]
      - sources: [{ from: connection }]
    extract:
      metadata: [k8s.namespace.name, k8s.pod.name, k8s.pod.uid, k8s.deployment.name, k8s.statefulset.name, k8s.daemonset.name, k8s.node.name]
      # The name of the deployment is read from that of the replica set, which needs no right to list replica sets.
      deployment_name_from_replicaset: true
  transform/instance:
    {{- toYaml (index $base.processors "transform/instance") | nindent 4 }}
  {{- with .Values.clusterName }}
  transform/cluster:
    error_mode: ignore
    trace_statements: &cluster
      - context: resource
        statements: ['set(resource.attributes["k8s.cluster.name"], {{ . | quote }})']
    metric_statements: *cluster
  {{- end }}
  {{- if ne $routing "single" }}
  # Only what the span metrics of the gateways read is sent a second time, by service.
  filter/counted:
    error_mode: ignore
    traces:
      span:
        - kind != SPAN_KIND_SERVER and kind != SPAN_KIND_CONSUMER and name != "event-loop-blocked" and name != "event-loop-hang"
  {{- end }}
  {{- if eq $routing "static" }}
  {{- range $index := until (int .Values.gateway.replicas) }}
  filter/trace_{{ $index }}:
    error_mode: propagate
    traces:
      span:
        - not({{ include "loopwatch.shard" (list "span.trace_id.string" $index $root) }})
  # Telemetry without service.name goes to each gateway, because a condition with an error drops nothing.
  filter/service_{{ $index }}:
    error_mode: ignore
    traces:
      span:
        - not({{ include "loopwatch.shard" (list "resource.attributes[\"service.name\"]" $index $root) }})
    metrics:
      metric:
        - not({{ include "loopwatch.shard" (list "resource.attributes[\"service.name\"]" $index $root) }})
  {{- end }}
  {{- end }}
exporters:
  {{- if eq $routing "load_balancing" }}
  {{- range $name, $key := dict "traces" "traceID" "span_metrics" "service" "metrics" "service" }}
  load_balancing/{{ $name }}:
    routing_key: {{ $key }}
    {{- include "loopwatch.agentQueue" $root | nindent 4 }}
    protocol:
      otlp:
        timeout: 10s
        tls: { insecure: true }
    resolver:
      dns:
        hostname: {{ include "loopwatch.gatewayHost" (list $root "") }}
        port: {{ ternary 4319 4317 (eq $name "span_metrics") | quote }}
  {{- end }}
  {{- else if eq $routing "static" }}
  {{- range $index := until (int .Values.gateway.replicas) }}
  {{- include "loopwatch.otlpExporter" (list $root (printf "gateway_%d" $index) (include "loopwatch.gatewayHost" (list $root $index)) 4317) | nindent 2 }}
  {{- include "loopwatch.otlpExporter" (list $root (printf "span_metrics_%d" $index) (include "loopwatch.gatewayHost" (list $root $index)) 4319) | nindent 2 }}
  {{- end }}
  {{- else }}
  {{- include "loopwatch.otlpExporter" (list $root "gateway" (include "loopwatch.gatewayHost" (list $root "")) 4317) | nindent 2 }}
  {{- end }}
{{- $first := concat (list "memory_limiter" "k8s_attributes" "transform/instance") (ternary (list "transform/cluster") list (not (empty .Values.clusterName))) }}
{{- if ne $routing "single" }}
connectors:
  forward/traces:
  forward/metrics:
{{- end }}
service:
  extensions: [health_check, file_storage]
  telemetry:
    {{- /* One agent on each node: its instance outlives the pod, so that TelemetryAgentMissing can count. */}}
    {{- include "loopwatch.telemetry" (list . "loopwatch-agent" "${env:K8S_NODE_NAME}") | nindent 4 }}
  pipelines:
    traces/received:
      receivers: [otlp]
      processors: {{ toJson $first }}
      exporters: [{{ ternary "otlp_grpc/gateway" "forward/traces" (eq $routing "single") }}]
    metrics/received:
      receivers: [otlp]
      processors: {{ toJson $first }}
      exporters: [{{ ternary "otlp_grpc/gateway" "forward/metrics" (eq $routing "single") }}]
    {{- if eq $routing "load_balancing" }}
    traces/sampled:
      receivers: [forward/traces]
      exporters: [load_balancing/traces]
    traces/span_metrics:
      receivers: [forward/traces]
      processors: [filter/counted]
      exporters: [load_balancing/span_metrics]
    metrics/sent:
      receivers: [forward/metrics]
      exporters: [load_balancing/metrics]
    {{- else if eq $routing "static" }}
    {{- range $index := until (int .Values.gateway.replicas) }}
    traces/sampled_{{ $index }}:
      receivers: [forward/traces]
      processors: [filter/trace_{{ $index }}]
      exporters: [otlp_grpc/gateway_{{ $index }}]
    traces/span_metrics_{{ $index }}:
      receivers: [forward/traces]
      processors: [filter/counted, filter/service_{{ $index }}]
      exporters: [otlp_grpc/span_metrics_{{ $index }}]
    metrics/sent_{{ $index }}:
      receivers: [forward/metrics]
      processors: [filter/service_{{ $index }}]
      exporters: [otlp_grpc/gateway_{{ $index }}]
    {{- end }}
    {{- end }}
{{- end }}

{{/* Whether a text belongs to a gateway: (list text index $). The remainder of a negative hash is negative. */}}
{{- define "loopwatch.shard" -}}
{{- $count := int (index . 2).Values.gateway.replicas -}}
{{- $hash := printf "FNV(%s)" (index . 0) -}}
{{- $remainder := printf "%s - (%s / %d) * %d" $hash $hash $count $count -}}
{{- $index := index . 1 -}}
{{ $remainder }} == {{ $index }}{{ if gt $index 0 }} or {{ $remainder }} == {{ sub $index $count }}{{ end -}}
{{- end }}

{{/* Its size: each signal of an exporter has a queue of its own. */}}
{{- define "loopwatch.agentQueue" -}}
{{- $queues := ternary 2 3 (eq .Values.agent.routing "single") -}}
{{- if eq .Values.agent.routing "static" }}{{ $queues = mul 3 .Values.gateway.replicas }}{{ end -}}
retry_on_failure:
  initial_interval: 1s
  max_interval: 10s
  max_elapsed_time: 0s
sending_queue:
  storage: file_storage
  sizer: bytes
  queue_size: {{ include "loopwatch.queueBytes" (list .Values.agent.queueSize (divf 38 $queues)) }}
  num_consumers: 2
{{- end }}

{{/* (list $ name host port) */}}
{{- define "loopwatch.otlpExporter" -}}
otlp_grpc/{{ index . 1 }}:
  endpoint: {{ printf "%s:%v" (index . 2) (index . 3) }}
  tls: { insecure: true }
  {{- include "loopwatch.agentQueue" (index . 0) | nindent 2 }}
    batch:
      sizer: items
      flush_timeout: 200ms
      min_size: 512
      max_size: 2048
{{- end }}
