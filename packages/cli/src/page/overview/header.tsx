import type { JSX } from 'preact';

import type { PageState } from '../../model/live/page.js';
import { agoText, lastSeenText, QUIET_MS } from '../../model/live/presence.js';
import { formatDateTime, formatMs, plural } from '../../model/text/format.js';
import type { Connection } from '../data/source.js';
import type { Theme } from '../parts/state/theme.js';
import { TopBar } from '../parts/frame/top-bar.js';

interface HeaderProps {
  state: PageState;
  connection: Connection;
  /** Epoch, ms, by the server's clock. */
  nowMs: number;
  theme: Theme;
  onToggleTheme: () => void;
}

const CONNECTION_TEXT: Readonly<Record<Exclude<Connection, 'report'>, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, reconnecting',
  ended: 'Ended',
};

export function Header({ state, connection, nowMs, theme, onToggleTheme }: HeaderProps): JSX.Element {
  return (
    <TopBar
      subject={connection === 'report' ? <ReportSubject state={state} /> : <LiveSubject state={state} nowMs={nowMs} />}
      theme={theme}
      onToggleTheme={onToggleTheme}
    >
      {connection !== 'report' && (
        <p class={`connection ${connection}`} role="status">
          {connection === 'live' ? liveText(state, nowMs) : CONNECTION_TEXT[connection]}
        </p>
      )}
    </TopBar>
  );
}

function ReportSubject({ state }: { state: PageState }): JSX.Element {
  const elapsedMs = (state.endedMs ?? state.startedMs) - state.startedMs;
  return (
    <>
      <code title={state.title}>{state.title}</code>
      <span>
        {formatDateTime(state.startedMs)}, ran {formatMs(elapsedMs)}, {state.outcome}
      </span>
    </>
  );
}

/** Without data for a while, `Live` alone would say more than is known. */
function liveText({ seen }: PageState, nowMs: number): string {
  const lastMs = seen.reduce((last, { lastSeenMs }) => Math.max(last, lastSeenMs), -Infinity);
  const isQuiet = seen.length > 0 && nowMs - lastMs >= QUIET_MS;
  return isQuiet ? `Listening, last data ${agoText(nowMs - lastMs)}` : CONNECTION_TEXT.live;
}

function LiveSubject({ state, nowMs }: { state: PageState; nowMs: number }): JSX.Element {
  const services = new Set(state.instances.map((instance) => instance.service));
  const names = [...services].slice(0, 4).join(', ');
  const gone = state.seen.filter((each) => lastSeenText(each, nowMs) !== undefined).length;
  if (services.size === 0) return <span>Waiting for data</span>;
  return (
    <>
      <code>{services.size > 4 ? `${names} and ${services.size - 4} more` : names}</code>
      <span>{[plural(state.instances.length, 'instance'), ...(gone > 0 ? [`${gone} gone`] : [])].join(', ')}</span>
    </>
  );
}
