import type { JSX } from 'preact';

import type { BlockFilter, FilterChange } from '../../model/blocks/filter.js';
import type { PageState } from '../../model/live/page.js';
import { CAUSE_TEXT } from '../../model/text/cause.js';
import { formatClock, formatInstance, formatMs } from '../../model/text/format.js';
import { type Cause, CAUSES } from '../../model/types.js';

interface FilterBarProps {
  state: PageState;
  filter: BlockFilter;
  /** The last ms; undefined for all data. */
  windowMs: number | undefined;
  onChange: (change: FilterChange) => void;
  onWindow: (windowMs: number | undefined) => void;
}

const MINUTE_MS = 60_000;
const WINDOWS: readonly [label: string, value: number | undefined][] = [
  ['All data', undefined],
  ['Last 5 minutes', 5 * MINUTE_MS],
  ['Last 15 minutes', 15 * MINUTE_MS],
  ['Last hour', 60 * MINUTE_MS],
];

/** An address may have another window. */
function windowsWith(windowMs: number | undefined): typeof WINDOWS {
  if (WINDOWS.some(([, value]) => value === windowMs)) return WINDOWS;
  return [...WINDOWS, [`Last ${formatMs(windowMs ?? 0)}`, windowMs]];
}

export function FilterBar({ state, filter, windowMs, onChange, onWindow }: FilterBarProps): JSX.Element {
  const services = [...new Set(state.instances.map((instance) => instance.service))].sort();
  const instances = state.instances.filter(({ service }) => filter.service === undefined || service === filter.service);
  const isLive = state.endedMs === undefined;
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <input
        type="search"
        aria-label="Function, file or request"
        placeholder="Function, file or request"
        value={filter.text ?? ''}
        onInput={(event) => {
          onChange({ text: event.currentTarget.value || undefined });
        }}
      />
      <Select
        label="Cause"
        value={filter.cause}
        all="All causes"
        options={CAUSES.map((cause) => [cause, CAUSE_TEXT[cause]])}
        onChange={(cause) => {
          onChange({ cause: cause as Cause | undefined });
        }}
      />
      {services.length > 1 && (
        <Select
          label="Service"
          value={filter.service}
          all="All services"
          options={services.map((service) => [service, service])}
          onChange={(service) => {
            onChange({ service, instance: undefined });
          }}
        />
      )}
      {instances.length > 1 && (
        <Select
          label={isLive ? 'Instance' : 'Process'}
          value={filter.instance}
          all={isLive ? 'All instances' : 'All processes'}
          options={instances.map((instance) => [instance.id, formatInstance(instance)])}
          onChange={(instance) => {
            onChange({ instance });
          }}
        />
      )}
      {isLive && (
        <select
          aria-label="Time range"
          value={String(windowMs ?? '')}
          onChange={(event) => {
            const { value } = event.currentTarget;
            onWindow(value === '' ? undefined : Number(value));
          }}
        >
          {windowsWith(windowMs).map(([label, value]) => (
            <option key={label} value={String(value ?? '')}>
              {label}
            </option>
          ))}
        </select>
      )}
      {filter.fromMs !== undefined && filter.toMs !== undefined && (
        <Chip
          text={`${formatClock(filter.fromMs).slice(0, 8)} to ${formatClock(filter.toMs).slice(0, 8)}`}
          onRemove={() => {
            onChange({ fromMs: undefined, toMs: undefined });
          }}
        />
      )}
      {filter.culprit !== undefined && (
        <Chip
          text={filter.culprit.split('\n')[0] || 'no stack'}
          onRemove={() => {
            onChange({ culprit: undefined });
          }}
        />
      )}
    </form>
  );
}

interface SelectProps {
  label: string;
  value: string | undefined;
  all: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string | undefined) => void;
}

function Select({ label, value, all, options, onChange }: SelectProps): JSX.Element {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => {
        onChange(event.currentTarget.value || undefined);
      }}
    >
      <option value="">{all}</option>
      {options.map(([optionValue, text]) => (
        <option key={optionValue} value={optionValue}>
          {text}
        </option>
      ))}
    </select>
  );
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }): JSX.Element {
  return (
    <button type="button" class="chip" aria-label={`Remove the filter ${text}`} onClick={onRemove}>
      <span>{text}</span>
      <span aria-hidden="true">×</span>
    </button>
  );
}
