import type { JSX } from 'preact';

import { formatMs, plural } from '../../model/format.js';
import type { PageState } from '../../model/page.js';
import type { Connection } from '../data/source.js';
import type { Theme } from '../parts/theme.js';

interface HeaderProps {
  state: PageState;
  connection: Connection;
  theme: Theme;
  onToggleTheme: () => void;
}

const CONNECTION_TEXT: Readonly<Record<Exclude<Connection, 'report'>, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, reconnecting',
};

export function Header({ state, connection, theme, onToggleTheme }: HeaderProps): JSX.Element {
  return (
    <header class="top">
      <div class="brand">
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <path d="M20.5 12A8.5 8.5 0 1 1 12 3.5" />
          <circle cx="18" cy="6" r="2.4" />
        </svg>
        <h1>Loopwatch</h1>
      </div>
      <p class="subject">{connection === 'report' ? <ReportSubject state={state} /> : <LiveSubject state={state} />}</p>
      {connection !== 'report' && (
        <p class={`connection ${connection}`} role="status">
          {CONNECTION_TEXT[connection]}
        </p>
      )}
      <button type="button" class="quiet" onClick={onToggleTheme}>
        {theme === 'dark' ? 'Light theme' : 'Dark theme'}
      </button>
    </header>
  );
}

function ReportSubject({ state }: { state: PageState }): JSX.Element {
  const elapsedMs = (state.endedMs ?? state.startedMs) - state.startedMs;
  return (
    <>
      <code title={state.title}>{state.title}</code>
      <span>
        {new Date(state.startedMs).toLocaleString()}, ran {formatMs(elapsedMs)}, {state.outcome}
      </span>
      {state.startUp !== undefined && <span>{state.startUp}</span>}
    </>
  );
}

function LiveSubject({ state }: { state: PageState }): JSX.Element {
  const services = new Set(state.instances.map((instance) => instance.service));
  const names = [...services].slice(0, 4).join(', ');
  if (services.size === 0) return <span>Waiting for data</span>;
  return (
    <>
      <code>{services.size > 4 ? `${names} and ${services.size - 4} more` : names}</code>
      <span>{plural(state.instances.length, 'instance')}</span>
    </>
  );
}
