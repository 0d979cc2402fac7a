import { useEffect, useRef, useState } from 'preact/hooks';

/** Minimum interval between two loads of live data. */
const MIN_INTERVAL_MS = 1_500;

/**
 * What `load` resolves with: again when the data has changed, but at most every 1.5 s, and at once when the query has.
 * Undefined until it has resolved for the first time.
 */
export function useLoaded<T>(load: () => Promise<T>, query: string, revision: unknown): T | undefined {
  const [loaded, setLoaded] = useState<T>();
  const lastMs = useRef(0);
  // This effect must run before the next one.
  useEffect(() => {
    lastMs.current = 0;
  }, [query]);
  useEffect(() => {
    let isCurrent = true;
    const start = (): void => {
      lastMs.current = Date.now();
      void load().then((value) => {
        if (isCurrent) setLoaded(() => value);
      });
    };
    const timer = setTimeout(start, Math.max(0, lastMs.current + MIN_INTERVAL_MS - Date.now()));
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [revision, query]);
  return loaded;
}
