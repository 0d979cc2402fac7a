{{/* `service.telemetry` of a collector: (list $ "service name" "instance id"). Scraped by ServiceMonitors, else pushed by OTLP. */}}
{{- define "loopwatch.telemetry" -}}
{{- $root := index . 0 -}}
resource:
  attributes:
    - { name: service.name, value: {{ index . 1 }} }
    - { name: service.instance.id, value: '{{ index . 2 }}' }
    - { name: k8s.pod.name, value: '${env:POD_NAME}' }
    - { name: k8s.namespace.name, value: {{ $root.Release.Namespace }} }
    - { name: k8s.node.name, value: '${env:K8S_NODE_NAME}' }
logs:
  level: ${env:LOOPWATCH_COLLECTOR_LOG_LEVEL:-info}
{{- $base := fromYaml ($root.Files.Get "files/otel-collector-config.yaml") }}
metrics:
  level: {{ $base.service.telemetry.metrics.level }}
  views: {{ toJson $base.service.telemetry.metrics.views }}
  readers:
    {{- if $root.Values.prometheusOperator.serviceMonitors }}
    - pull:
        exporter:
          prometheus:
            host: 0.0.0.0
            port: 8888
            without_type_suffix: false
            without_units: false
            without_scope_info: true
            with_resource_constant_labels:
              included: [service.name, service.instance.id, k8s.pod.name, k8s.namespace.name, k8s.node.name]
    {{- else }}
    - periodic:
        interval: 10000
        timeout: 5000
        exporter:
          otlp:
            protocol: http/protobuf
            endpoint: {{ include "loopwatch.metricsEndpoint" $root }}/v1/metrics
            {{- range $name, $key := dict "certificate" "ca_file" "client_certificate" "cert_file" "client_key" "key_file" }}
            {{- with get $root.Values.metrics.tls $key }}
            {{ $name }}: {{ . | quote }}
            {{- end }}
            {{- end }}
            {{- with $root.Values.metrics.headers }}
            headers:
              {{- range $name, $value := . }}
              - { name: {{ $name | quote }}, value: {{ $value | quote }} }
              {{- end }}
            {{- end }}
    {{- end }}
{{- end }}

{{/* Environment of a collector: (list $ extra). */}}
{{- define "loopwatch.collectorEnv" -}}
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: K8S_NODE_NAME
  valueFrom: { fieldRef: { fieldPath: spec.nodeName } }
- name: LOOPWATCH_COLLECTOR_OTLP_GRPC_ENDPOINT
  value: ':4317'
- name: LOOPWATCH_COLLECTOR_OTLP_HTTP_ENDPOINT
  value: ':4318'
- name: LOOPWATCH_COLLECTOR_HEALTH_ENDPOINT
  value: ':13133'
- name: LOOPWATCH_COLLECTOR_STORAGE_DIR
  value: /var/lib/otelcol/file_storage
{{- end }}
