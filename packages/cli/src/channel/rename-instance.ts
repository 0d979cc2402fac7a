import { type ChannelRecord, HEADER_PROCESS } from './contract.js';

/**
 * Gives the records of a process another id than the one that it has of itself: processes of several pid namespaces can have
 * the same, as the first process of each container has. `label` is what it is called.
 */
export function renameInstance(from: string, to: string, label: string): (record: ChannelRecord) => ChannelRecord {
  const renamed = <T extends { readonly instance: string }>(value: T): T =>
    value.instance === from ? { ...value, instance: to } : value;
  return (record) => {
    switch (record.type) {
      case 'process':
        return record.process.id === from ? { ...record, process: { ...record.process, id: to, label } } : record;
      case 'block': {
        const { id } = record.block;
        const block = id.startsWith(`${from}-`)
          ? { ...record.block, id: `${to}${id.slice(from.length)}` }
          : record.block;
        return { ...record, block: renamed(block) };
      }
      case 'startUp':
        return { ...record, startUp: renamed(record.startUp) };
      case 'lag':
        return { ...record, point: renamed(record.point) };
      case 'busy':
        return { ...record, period: renamed(record.period) };
      case 'threadPool':
        return { ...record, wait: renamed(record.wait) };
      case 'problem':
        return { ...record, problem: renamed(record.problem) };
      case 'end':
      case 'workerStarted':
      case 'workerWatched':
        return renamed(record);
      case 'request':
        return record.headers[HEADER_PROCESS] === from ? { ...record, headers: { [HEADER_PROCESS]: to } } : record;
      case 'unwatched':
        return record;
    }
  };
}
