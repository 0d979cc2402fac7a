/**
 * What is written to the person who is paged, as templates of Go: Alertmanager and Grafana take the same. The text of an
 * alert is its annotations, which Prometheus has filled: the sentence, then the links. Each text is put together in a
 * variable, because what a template prints cannot be encoded.
 */
const addLine = (title: string, annotation: string): string =>
  `{{ with .Annotations.${annotation} }}{{ $text = printf "%s\\n${title}: %s" $text . }}{{ end }}`;

const TITLE =
  '{{ $title := printf "Resolved: %s" .CommonLabels.alertname }}' +
  '{{ if eq .Status "firing" }}' +
  '{{ $title = printf "%d firing: %s" (len .Alerts.Firing) .CommonLabels.alertname }}{{ end }}' +
  '{{ with .GroupLabels.service_name }}{{ $title = printf "%s in %s" $title . }}{{ end }}';

const TEXT =
  '{{ $text := "" }}{{ range .Alerts.Firing }}' +
  '{{ $text = printf "%s%s\\n%s" $text .Annotations.summary .Annotations.description }}' +
  addLine('Traces, with the request and who waited', 'traces_url') +
  addLine('Dashboard', 'dashboard_url') +
  addLine('Runbook', 'runbook_url') +
  '{{ $text = printf "%s\\n\\n" $text }}{{ end }}' +
  '{{ range .Alerts.Resolved }}{{ $text = printf "%sOver: %s\\n" $text .Annotations.summary }}{{ end }}';

export const templateText = [
  `{{ define "loopwatch.title" }}${TITLE}{{ $title }}{{ end }}\n`,
  `{{ define "loopwatch.text" }}${TEXT}{{ $text }}{{ end }}\n`,
].join('');

/**
 * The same for the payload of a webhook, as strings of JSON: Alertmanager takes what looks like another type of YAML as
 * that, and "1 firing: EventLoopHang" as an object.
 */
export const encoded = { title: `${TITLE}{{ $title | toJson }}`, text: `${TEXT}{{ $text | toJson }}` };

/** The same for Grafana, which provisions templates as a part of its alerting. */
export const grafanaTemplates = {
  apiVersion: 1,
  templates: [{ orgId: 1, name: 'loopwatch', template: templateText }],
};
