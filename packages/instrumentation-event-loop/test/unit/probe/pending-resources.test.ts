import { createServer } from 'node:net';
import process from 'node:process';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { PendingResources } from '../../../src/probe/pending-resources.js';

const ALONE = { isInOpenSpan: false, isInEndedTimer: false, ownImmediates: 0 };

afterEach(() => {
  jest.restoreAllMocks();
});

/** Reads once for each list of active resources, which stands in for that of Node. */
function readings(...lists: string[][]): (readonly string[])[] {
  const pending = new PendingResources();
  const spy = jest.spyOn(process, 'getActiveResourcesInfo');
  return lists.map((list) => {
    spy.mockReturnValue(list);
    return pending.read(ALONE);
  });
}

describe('the pending work', () => {
  test('is listed by type and number, in the order of types', () => {
    expect(readings(['TCPSocketWrap', 'Timeout', 'TCPSocketWrap'])).toEqual([['TCPSocketWrap×2', 'Timeout×1']]);
  });

  test('includes the request in whose span the thread sleeps', () => {
    jest.spyOn(process, 'getActiveResourcesInfo').mockReturnValue(['MessagePort', 'Timeout']);
    expect(new PendingResources().read({ ...ALONE, isInOpenSpan: true })).toEqual(['Span×1', 'Timeout×1']);
  });

  test('does not count the immediate by which this package requests an iteration', () => {
    const spy = jest.spyOn(process, 'getActiveResourcesInfo');
    const read = (): readonly string[] => new PendingResources().read({ ...ALONE, ownImmediates: 1 });
    spy.mockReturnValue(['Immediate']);
    expect(read()).toEqual([]);
    spy.mockReturnValue(['Immediate', 'Immediate']);
    expect(read()).toEqual(['Immediate×1']);
    spy.mockReturnValue([]);
    expect(read()).toEqual([]);
  });

  test('does not count the timer in whose callback the thread sleeps', () => {
    const spy = jest.spyOn(process, 'getActiveResourcesInfo');
    const read = (): readonly string[] => new PendingResources().read({ ...ALONE, isInEndedTimer: true });
    spy.mockReturnValue(['Timeout']);
    expect(read()).toEqual([]);
    spy.mockReturnValue(['Timeout', 'Timeout']);
    expect(read()).toEqual(['Timeout×1']);
  });

  test('is empty where nothing is active', () => {
    expect(readings([])).toEqual([[]]);
  });

  test('does not count the channels that every thread has', () => {
    expect(readings(['MessagePort', 'MessagePort', 'Worker', 'TTYWrap', 'PipeWrap', 'CloseReq'])).toEqual([[]]);
  });

  test('is what Node reports of this thread', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const before = new PendingResources().read(ALONE);
    await new Promise((resolve) => server.close(resolve));
    expect(before).toContainEqual(expect.stringMatching(/^TCPServerWrap×[1-9]/));
  });
});

describe('the files that the start-up of a thread still reads at the first sleep', () => {
  test('are not listed', () => {
    expect(readings(['FSReqPromise', 'FSReqCallback', 'Timeout'])).toEqual([['Timeout×1']]);
  });

  test('are not listed while they are the same', () => {
    expect(readings(['FSReqPromise'], ['FSReqPromise'])).toEqual([[], []]);
  });

  test('do not hide files that a task begins to read meanwhile', () => {
    expect(readings(['FSReqPromise'], ['FSReqPromise', 'FSReqPromise'])).toEqual([[], ['FSReqPromise×1']]);
  });

  test('no longer hide other files once they have been read', () => {
    expect(readings(['FSReqPromise', 'FSReqPromise'], ['FSReqPromise'], [], ['FSReqPromise'])).toEqual([
      [],
      [],
      [],
      ['FSReqPromise×1'],
    ]);
  });

  test('do not include files that a task reads at a later sleep', () => {
    expect(readings([], ['FSReqCallback'])).toEqual([[], ['FSReqCallback×1']]);
  });
});
