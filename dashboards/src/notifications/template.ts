/**
 * What is written to the person who is paged, as templates of Go: Alertmanager and Grafana take the same. The text of an
 * alert is its annotations, which Prometheus has filled: the sentence, then the links.
 */
const link = (title: string, annotation: string): string =>
  `{{ with .Annotations.${annotation} }}\n${title}: {{ . }}{{ end }}`;

export const templates: Readonly<Record<string, string>> = {
  'loopwatch.title':
    '{{ if eq .Status "firing" }}{{ len .Alerts.Firing }} firing{{ else }}Resolved{{ end }}: ' +
    '{{ .CommonLabels.alertname }}{{ with .GroupLabels.service_name }} in {{ . }}{{ end }}',
  'loopwatch.alert':
    '{{ .Annotations.summary }}\n{{ .Annotations.description }}' +
    link('Traces', 'traces_url') +
    link('Dashboard', 'dashboard_url') +
    link('Runbook', 'runbook_url') +
    '\n',
  'loopwatch.text':
    '{{ range .Alerts.Firing }}{{ template "loopwatch.alert" . }}\n{{ end }}' +
    '{{ range .Alerts.Resolved }}Over: {{ .Annotations.summary }}\n{{ end }}',
};

export const templateText = Object.entries(templates)
  .map(([name, text]) => `{{ define "${name}" }}${text}{{ end }}\n`)
  .join('');

/** The same for Grafana, which provisions templates as a part of its alerting. */
export const grafanaTemplates = {
  apiVersion: 1,
  templates: [{ orgId: 1, name: 'loopwatch', template: templateText }],
};
