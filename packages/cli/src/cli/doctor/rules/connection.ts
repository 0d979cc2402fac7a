import type { ClockFacts, ExporterFacts } from '../facts.js';
import { rule } from '../rule.js';
import { type Problem, remedyOfUnsent, summaryOfUnsent } from './unsent.js';

/** The `Date` header has a resolution of one second. */
const MAX_SKEW_MS = 5000;
/** More than the rounding of two clock readings. */
const MAX_STEP_MS = 250;

interface Refused {
  readonly exporter: ExporterFacts;
  readonly status: number;
  readonly server: string | undefined;
}

/** The receiver of the telemetry, and the clocks. */
export const connectionRules = [
  rule<Problem>({
    name: 'exporter-not-reachable',
    check: ({ exporter }) => (exporter?.answer.kind === 'error' ? [{ exporter, reason: exporter.answer.reason }] : []),
    summary: summaryOfUnsent,
    remedy: remedyOfUnsent,
  }),
  rule<Refused>({
    name: 'exporter-refuses',
    check: ({ exporter }) => {
      if (exporter?.answer.kind !== 'status') return [];
      const { status, server } = exporter.answer;
      return status >= 200 && status < 300 ? [] : [{ exporter, status, server }];
    },
    summary: ({ exporter, status, server }) =>
      `${exporter.url} answers an OTLP request with ${status}${server === undefined ? '' : ` (${server})`}.`,
    remedy: ({ exporter, status }) => remedyOf(status, exporter),
  }),
  rule<number>({
    name: 'clock-skew',
    check: ({ clock }) => (Math.abs(clock.skewMs ?? 0) > MAX_SKEW_MS ? [clock.skewMs ?? 0] : []),
    summary: (ms) =>
      `The clock of this machine is ${Math.round(Math.abs(ms) / 1000)} s ${ms > 0 ? 'ahead of' : 'behind'} that of the ` +
      'receiver: spans appear at the wrong time.',
    remedy: () => 'Synchronise the clocks, by chrony or systemd-timesyncd.',
  }),
  rule<ClockFacts>({
    name: 'clock-steps',
    check: ({ clock }) => (Math.abs(clock.stepMs) > MAX_STEP_MS ? [clock] : []),
    summary: ({ stepMs }) =>
      `The wall clock has just been set by ${Math.round(stepMs)} ms: spans of this time are misplaced.`,
    remedy: () => 'Let a time service slew the clock instead of setting it: chrony, systemd-timesyncd.',
  }),
];

function remedyOf(status: number, { variable = 'OTEL_EXPORTER_OTLP_ENDPOINT' }: ExporterFacts): string {
  if (status === 401 || status === 403)
    return 'Set the credentials in OTEL_EXPORTER_OTLP_HEADERS, such as authorization=Bearer%20…';
  if (status === 404 || status === 405) {
    // By the specification, the endpoint of a signal is used as it is.
    const form = variable === 'OTEL_EXPORTER_OTLP_ENDPOINT' ? 'the base URL without' : 'the whole URL with';
    return `Nothing takes OTLP there: correct ${variable}, ${form} /v1/traces.`;
  }
  if (status === 415) return 'The receiver does not take JSON; check that it takes your OTEL_EXPORTER_OTLP_PROTOCOL.';
  if (status === 429 || status >= 500) return 'The receiver is there, but cannot take data: look at its log.';
  return 'Look at the log of the receiver.';
}
