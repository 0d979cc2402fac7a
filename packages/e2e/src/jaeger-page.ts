import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

import { rootDirectory } from '../../../scripts/lib/paths.mjs';

interface UiConfiguration {
  readonly linkPatterns: readonly {
    readonly key: readonly string[];
    readonly url: { readonly template: (values: Readonly<Record<string, unknown>>) => string };
  }[];
}

/** deploy/jaeger/ui.js */
export const uiSource = readFileSync(path.join(rootDirectory, 'deploy/jaeger/ui.js'), 'utf8');

/** Where a block links to, as Jaeger's page at http://127.0.0.1 evaluates its UI configuration. */
export function linkOfBlock(uiConfiguration: string): string {
  // In a page, the global object is the window.
  const window = vm.createContext({ location: { protocol: 'http:', hostname: '127.0.0.1' } });
  window['window'] = window;
  const { linkPatterns } = vm.runInContext(`${uiConfiguration}; UIConfig()`, window) as UiConfiguration;
  const pattern = linkPatterns.find(({ key }) => key.includes('event_loop.blocked.cause'))!;
  return pattern.url.template({
    'service.instance.id': 'host:42',
    'trace.startTime': 1_700_000_000_000_000,
    'trace.endTime': 1_700_000_003_000_000,
  });
}

/** The link of that block to a Grafana at this address. */
export function linkTo(grafana: string): string {
  return (
    `${grafana}/d/loopwatch-instance/event-loop-of-one-instance?var-instance=host%3A42` +
    '&from=1699999700000&to=1700000303000'
  );
}
