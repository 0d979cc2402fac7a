import { describe, expect, test } from '@jest/globals';

import { inDependencyOrder, withDependencies, type WorkspacePackage } from '../lib/packages.mjs';

function member(name: string, ...workspaceDependencies: string[]): WorkspacePackage {
  return { name, directory: `/${name}`, isPublished: false, scripts: {}, workspaceDependencies };
}

function names(packages: readonly WorkspacePackage[]): string[] {
  return packages.map(({ name }) => name);
}

describe('the order of the build', () => {
  test('builds a package after those it depends on', () => {
    const packages = [member('demo', 'cli'), member('cli', 'instrumentation'), member('instrumentation')];
    expect(names(inDependencyOrder(packages))).toEqual(['instrumentation', 'cli', 'demo']);
  });

  test('names the packages that depend on each other in a circle', () => {
    const packages = [member('a', 'b'), member('b', 'c'), member('c', 'a')];
    expect(() => inDependencyOrder(packages)).toThrow('a → b → c → a');
  });

  test('for one package takes what it needs, directly or not, and nothing else', () => {
    const packages = inDependencyOrder([
      member('demo', 'cli'),
      member('benchmarks', 'instrumentation'),
      member('cli', 'instrumentation'),
      member('instrumentation'),
    ]);
    expect(names(withDependencies(packages, 'demo'))).toEqual(['instrumentation', 'cli', 'demo']);
  });
});
