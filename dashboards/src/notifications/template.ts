/**
 * What is written to the person who is paged, as templates of Go: Alertmanager and Grafana take the same. The text of an
 * alert is its annotations, which Prometheus has filled: the sentence, then the links. Each text is put together in a
 * variable, because what a template prints cannot be encoded.
 */
const addLine = (title: string, annotation: string): string =>
  `{{ with .Annotations.${annotation} }}{{ $text = printf "%s\\n${title}: %s" $text ${oneLine('.')} }}{{ end }}`;

/**
 * Names in a text come from telemetry, which anyone can send who reaches the collector: a name must not make a line that
 * looks like one of ours, nor turn the direction of the text around.
 */
function oneLine(value: string): string {
  return `(reReplaceAll "[\\\\pC\\\\pZ]+" " " ${value})`;
}

/** The variable as Slack takes text: else `<!channel>` in a name calls everyone, and `<address|Runbook>` is a link. */
function forSlack(variable: string): string {
  return `{{ ${variable} | reReplaceAll "&" "&amp;" | reReplaceAll "<" "&lt;" | reReplaceAll ">" "&gt;" }}`;
}

const TITLE =
  '{{ $title := printf "Resolved: %s" .CommonLabels.alertname }}' +
  '{{ if eq .Status "firing" }}' +
  '{{ $title = printf "%d firing: %s" (len .Alerts.Firing) .CommonLabels.alertname }}{{ end }}' +
  `{{ with .GroupLabels.service_name }}{{ $title = printf "%s in %s" $title ${oneLine('.')} }}{{ end }}`;

const TEXT =
  '{{ $text := "" }}{{ range .Alerts.Firing }}' +
  `{{ $text = printf "%s%s\\n%s" $text ${oneLine('.Annotations.summary')} ${oneLine('.Annotations.description')} }}` +
  addLine('Traces, with the request and who waited', 'traces_url') +
  addLine('Dashboard', 'dashboard_url') +
  addLine('Runbook', 'runbook_url') +
  '{{ $text = printf "%s\\n\\n" $text }}{{ end }}' +
  `{{ range .Alerts.Resolved }}{{ $text = printf "%sOver: %s\\n" $text ${oneLine('.Annotations.summary')} }}{{ end }}`;

export const templateText = [
  `{{ define "loopwatch.title" }}${TITLE}{{ $title }}{{ end }}\n`,
  `{{ define "loopwatch.text" }}${TEXT}{{ $text }}{{ end }}\n`,
  `{{ define "loopwatch.slack.title" }}${TITLE}${forSlack('$title')}{{ end }}\n`,
  `{{ define "loopwatch.slack.text" }}${TEXT}${forSlack('$text')}{{ end }}\n`,
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
