import { afterEach, expect, test } from '@jest/globals';
import { BlockRelay } from '../../../src/monitor/block-relay.js';

const opened: BlockRelay[] = [];

afterEach(() => {
  for (const relay of opened.splice(0)) relay.close();
});

function relay(): { relay: BlockRelay; received: unknown[] } {
  const received: unknown[] = [];
  const each = new BlockRelay((data) => received.push(data));
  opened.push(each);
  return { relay: each, received };
}

test('the main thread gets what all workers send, also without an iteration of its loop', () => {
  const main = relay();
  main.relay.receive();
  relay().relay.send('first');
  const second = relay();
  second.relay.send('second');
  second.relay.send('third');
  main.relay.drain();
  expect(main.received).toEqual(['first', 'second', 'third']);
});

test('a worker that has sent keeps nothing of what others send', () => {
  const [sender, other] = [relay(), relay()];
  sender.relay.send('own');
  other.relay.send('of another worker');
  sender.relay.drain();
  expect(sender.received).toEqual([]);
});
