import { describe, expect, test } from '@jest/globals';

import { containerCommands } from '../../src/cli/inspect/process/container.js';
import { containerOf } from '../../src/cli/platform/proc-text.js';

const ID = '3f5a'.repeat(16);

describe('the container of a process', () => {
  test.each([
    ['docker', `0::/system.slice/docker-${ID}.scope\n`],
    ['docker', `12:cpuset:/docker/${ID}\n11:memory:/docker/${ID}\n`],
    ['podman', `0::/machine.slice/libpod-${ID}.scope/container\n`],
    ['kubernetes', `0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-${ID}.scope\n`],
  ])('%s: %j', (runtime, text) => {
    expect(containerOf(text)).toEqual({ runtime, id: ID });
  });

  test('is unknown for a process of the host', () => {
    expect(containerOf('0::/user.slice/user-1000.slice/session-1.scope\n')).toBeUndefined();
  });
});

describe('the commands that reach a process in a container', () => {
  const ids = { pid: 4711, innerPid: 1, command: 'attach' } as const;

  test('name the container of Docker', () => {
    const container = { runtime: 'docker', id: ID } as const;
    expect(containerCommands({ ...ids, container, podName: undefined })).toEqual([
      'docker exec -it 3f5a3f5a3f5a npx loopwatch attach 1',
      'docker run -it --rm --pid=container:3f5a3f5a3f5a --network=container:3f5a3f5a3f5a --cap-add=SYS_PTRACE node:24 npx loopwatch attach 1',
      'sudo nsenter --target 4711 --net -- npx loopwatch attach 4711',
    ]);
  });

  test('name the pod of Kubernetes, also for an image without a shell', () => {
    const container = { runtime: 'kubernetes', id: ID } as const;
    expect(containerCommands({ ...ids, container, podName: 'shop-7d9f' })).toEqual([
      'kubectl exec -it shop-7d9f -c <container> -- npx loopwatch attach 1',
      'kubectl debug -it shop-7d9f --target=<container> --image=node:24 --profile=sysadmin -- npx loopwatch attach 1',
      'sudo nsenter --target 4711 --net -- npx loopwatch attach 4711',
    ]);
  });

  test('leave a gap for what is not known', () => {
    const [first] = containerCommands({ ...ids, container: undefined, podName: undefined });
    expect(first).toBe('docker exec -it <container> npx loopwatch attach 1');
  });
});
