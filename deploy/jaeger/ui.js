/* global window */
// UI configuration of Jaeger. A link on every `event-loop-blocked` span opens Grafana at that process and time.
//
// A function and not JSON, because only so a link can turn Jaeger's microseconds into Grafana's milliseconds.
// Jaeger pastes this text into its page as the replacement of a regular expression: no dollar sign may stand in it.
// eslint-disable-next-line no-unused-vars
function UIConfig() {
  var margin = 5 * 60 * 1000;
  // Grafana is expected on the host of this page; change the port or the whole address here.
  var grafana = window.location.protocol + '//' + window.location.hostname + ':3000';

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
