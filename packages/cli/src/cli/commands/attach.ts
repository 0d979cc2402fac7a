import { createRecordReader } from '../../channel/reader.js';
import { renameInstance } from '../../channel/rename-instance.js';
import { prepareFiles } from '../files/prepare-files.js';
import type { RecordsOf } from '../inspect/attach/attach.js';
import { readExisting } from '../inspect/process/checks.js';
import { assertProcFileSystem, type ProcessInfo } from '../inspect/process/processes.js';
import { Refusal } from '../platform/refusal.js';
import { isStopped } from '../program/is-alive.js';
import { nameOf } from './attach-sentences.js';
import { watchAndConclude } from './conclude.js';
import { effectiveThreshold } from './fail-on.js';
import { type AttachCommandOptions, watchProcesses } from './watch-processes.js';
import { channelConfigOf, type Watched } from './watched.js';

/** Watches processes that run already, until `--for` has passed, a signal stops it, or the processes end. */
export async function attach(pid: number | undefined, options: AttachCommandOptions): Promise<void> {
  checkArguments(pid, options);
  assertProcFileSystem();
  const info = pid === undefined ? undefined : readExisting(pid);
  const files = await prepareFiles(options);
  const effective = { ...options, threshold: effectiveThreshold(options.threshold, options.failOn) };
  await watchAndConclude(runningProcesses(pid, info, effective), files, effective);
}

function runningProcesses(
  pid: number | undefined,
  info: ProcessInfo | undefined,
  options: AttachCommandOptions,
): Watched {
  const reader = createRecordReader();
  return {
    command: info ? wordsOf(info) : [`--inspect ${inspectorHost(options.inspect)}`],
    isAttached: true,
    reader,
    recordsPlace: 'a file in the temporary directory of the process',
    // It may have another id here: it is, as far as is known.
    isAlive: () => true,
    isStopped: (instance) => isStopped(Number(instance)),
    async watch(session) {
      let hasBegun = false;
      const onRecords = (descriptor: number, { pid: id, innerPid, isForeign }: RecordsOf): void => {
        const rename = renameInstance(String(innerPid), String(id), `pid ${nameOf(id, innerPid)}`);
        reader.add(descriptor, id === innerPid ? undefined : rename);
        if (isForeign) session.leaveSourcesAlone();
        if (!hasBegun) session.begin();
        hasBegun = true;
      };
      const onRecordsEnd = (descriptor: number): void => {
        reader.finish(descriptor);
      };
      await watchProcesses(pid, { session, config: channelConfigOf(options), onRecords, onRecordsEnd }, options);
      return { outcome: { code: 0 }, exit: { code: 0 } };
    },
  };
}

/** The kernel shows no command line of some processes. */
function wordsOf(info: ProcessInfo): readonly string[] {
  return info.args.length > 0 ? info.args : [info.executable];
}

/** Its path is the key to the inspector. */
function inspectorHost(url = ''): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

function checkArguments(pid: number | undefined, { inspect, all }: AttachCommandOptions): void {
  if ((pid === undefined) === (inspect === undefined)) {
    throw new Refusal('the id of a process or --inspect', pid === undefined ? 'neither' : 'both', 'Give one of them.');
  }
  if (all && inspect !== undefined) {
    throw new Refusal('the id of a process with --all', '--inspect', 'An inspector leads to one process.');
  }
}
