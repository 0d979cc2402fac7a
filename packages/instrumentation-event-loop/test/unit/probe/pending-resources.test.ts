import { createServer } from 'node:net';
import process from 'node:process';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { PendingResources } from '../../../src/probe/pending-resources.js';

afterEach(() => {
  jest.restoreAllMocks();
});

/** Reads once for each list of active resources, as Node would give them. */
function readings(...lists: string[][]): (readonly string[])[] {
  const pending = new PendingResources();
  const spy = jest.spyOn(process, 'getActiveResourcesInfo');
  return lists.map((list) => {
    spy.mockReturnValue(list);
    return pending.read();
  });
}

describe('work that is pending', () => {
  test('is told by type and number, types in their order', () => {
    expect(readings(['TCPSocketWrap', 'Timeout', 'TCPSocketWrap'])).toEqual([['TCPSocketWrap×2', 'Timeout×1']]);
  });

  test('is nothing where nothing is active', () => {
    expect(readings([])).toEqual([[]]);
  });

  test('does not count the channels that every thread has', () => {
    expect(readings(['MessagePort', 'MessagePort', 'Worker', 'TTYWrap', 'PipeWrap', 'CloseReq'])).toEqual([[]]);
  });

  test('is what Node says of this very thread', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const before = new PendingResources().read();
    await new Promise((resolve) => server.close(resolve));
    expect(before).toContainEqual(expect.stringMatching(/^TCPServerWrap×[1-9]/));
  });
});

describe("the files that a thread's start-up still reads at its first sleep", () => {
  test('are not pending', () => {
    expect(readings(['FSReqPromise', 'FSReqCallback', 'Timeout'])).toEqual([['Timeout×1']]);
  });

  test('are not pending as long as they are the same', () => {
    expect(readings(['FSReqPromise'], ['FSReqPromise'])).toEqual([[], []]);
  });

  test('do not hide those that a task begins beside them', () => {
    expect(readings(['FSReqPromise'], ['FSReqPromise', 'FSReqPromise'])).toEqual([[], ['FSReqPromise×1']]);
  });

  test('count from when they have been done', () => {
    expect(readings(['FSReqPromise', 'FSReqPromise'], ['FSReqPromise'], [], ['FSReqPromise'])).toEqual([
      [],
      [],
      [],
      ['FSReqPromise×1'],
    ]);
  });

  test('are no excuse for files that a task reads at a later sleep', () => {
    expect(readings([], ['FSReqCallback'])).toEqual([[], ['FSReqCallback×1']]);
  });
});
