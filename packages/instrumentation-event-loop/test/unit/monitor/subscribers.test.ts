import { expect, test } from '@jest/globals';
import { Subscribers } from '../../../src/monitor/subscribers.js';
import { subscriber } from '../support/subscriber.js';

test('an error of one subscriber is reported once, and the others are called', () => {
  const problems: string[] = [];
  const subscribers = new Subscribers();
  const broken = subscriber({ onProblem: (message) => problems.push(message) });
  subscribers.add(broken);
  subscribers.add(subscriber({ onProblem: () => undefined }));
  const call = (): string[] =>
    subscribers.each((one) => {
      if (one === broken) throw new Error('a hostile span');
      return 'answer';
    });
  expect([call(), call(), call()]).toEqual([['answer'], ['answer'], ['answer']]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^Failed to report a block: Error: a hostile span/);
});

test('a logger that throws does not make reportError throw', () => {
  const subscribers = new Subscribers();
  subscribers.add(
    subscriber({
      onProblem: () => {
        throw new Error('a broken logger');
      },
    }),
  );
  expect(() => {
    subscribers.reportError('It has failed', new Error('why'));
  }).not.toThrow();
});

test('an error without a text does not make reportError throw', () => {
  const subscribers = new Subscribers();
  subscribers.add(subscriber({ onProblem: () => undefined }));
  const withoutText = {
    toString() {
      throw new Error('no text');
    },
  };
  expect(() => {
    subscribers.reportError('It has failed', withoutText);
  }).not.toThrow();
});
