import type { JSX } from 'preact';

interface TraceLinkProps {
  jaegerUrl: string;
  traceId: string;
  text: string;
}

export function TraceLink({ jaegerUrl, traceId, text }: TraceLinkProps): JSX.Element {
  return (
    <a href={`${jaegerUrl}/trace/${traceId}`} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
