/* global window */
// UI configuration of Jaeger. A link on each `event-loop-blocked` span opens the dashboard of its process at its time.
//
// A function and not JSON, because the link must convert Jaeger's microseconds to Grafana's milliseconds.
// Jaeger inserts this text into its page as the replacement of a regular expression, so it must contain no dollar sign.
//
// The address of Grafana is in `window.loopwatchGrafanaUrl`, which a line before this text sets: ui.sh writes that line
// for docker-compose.yml from LOOPWATCH_GRAFANA_URL, and the chart from its value `grafana.url`.
// eslint-disable-next-line no-unused-vars
function UIConfig() {
  var margin = 5 * 60 * 1000;
  // Without an address: port 3000 on the host of this page.
  var grafana = window.loopwatchGrafanaUrl || window.location.protocol + '//' + window.location.hostname + ':3000';
  while (grafana.endsWith('/')) grafana = grafana.slice(0, -1);

  function instanceDashboard(values) {
    return (
      grafana +
      '/d/loopwatch-instance/event-loop-of-one-instance?var-instance=' +
      encodeURIComponent(values['service.instance.id']) +
      '&from=' +
      Math.floor(values['trace.startTime'] / 1000 - margin) +
      '&to=' +
      Math.ceil(values['trace.endTime'] / 1000 + margin)
    );
  }

  return {
    monitor: { menuEnabled: true },
    dependencies: { menuEnabled: true },
    linkPatterns: [
      {
        type: 'tags',
        key: ['event_loop.blocked.cause', 'event_loop.blocked.wait_time'],
        url: {
          parameters: ['service.instance.id', 'trace.startTime', 'trace.endTime'],
          template: instanceDashboard,
        },
        text: { parameters: [], template: () => 'Event loop of this process in Grafana' },
      },
    ],
  };
}
