import type { JSX } from 'preact';

import { reachableUrl } from '../../model/reachable-url.js';

interface TraceLinkProps {
  jaegerUrl: string;
  traceId: string;
  text: string;
}

export function TraceLink({ jaegerUrl, traceId, text }: TraceLinkProps): JSX.Element {
  return (
    <a href={`${reachableUrl(jaegerUrl, window.location.hostname)}/trace/${traceId}`} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
