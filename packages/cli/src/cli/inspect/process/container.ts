import { type Container, containerOf } from '../../platform/proc-text.js';
import { cgroupOf, environmentOf, type ProcessInfo } from './processes.js';

/** What to do about a process in a container: the commands, with the names and ids that are known from outside. */
export function containerAdvice({ pid, innerPid }: ProcessInfo, command: 'attach' | 'dump'): string {
  const environment = environmentOf(pid);
  const valueOf = (name: string): string | undefined =>
    environment.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
  const isInPod = valueOf('KUBERNETES_SERVICE_HOST') !== undefined;
  const commands = containerCommands({
    container: containerOf(cgroupOf(pid)),
    podName: isInPod ? podNameOf(valueOf('HOSTNAME')) : undefined,
    pid,
    innerPid,
    command,
  });
  return ['Run one of these:', ...commands.map((line) => `  ${line}`)].join('\n');
}

/** The process chooses its variables, and the user pastes the command into a shell. */
function podNameOf(hostName: string | undefined): string | undefined {
  return hostName !== undefined && /^[a-z\d][a-z\d.-]{0,252}$/.test(hostName) ? hostName : undefined;
}

export interface ContainerFacts {
  readonly container: Container | undefined;
  /** Undefined: not known to be in a pod of Kubernetes. */
  readonly podName: string | undefined;
  readonly pid: number;
  readonly innerPid: number;
  readonly command: 'attach' | 'dump';
}

/** The commands that reach a process in a container, the shortest way first. */
export function containerCommands({ container, podName, pid, innerPid, command }: ContainerFacts): string[] {
  const inside = `loopwatch ${command} ${innerPid}`;
  const fromHost = `sudo nsenter --target ${pid} --net -- npx loopwatch ${command} ${pid}`;
  if (podName !== undefined || container?.runtime === 'kubernetes') {
    const pod = podName ?? '<pod>';
    return [
      `kubectl exec -it ${pod} -c <container> -- npx ${inside}`,
      // For an image without a shell or without npm.
      `kubectl debug -it ${pod} --target=<container> --image=node:24 --profile=sysadmin -- npx ${inside}`,
      fromHost,
    ];
  }
  const tool = container?.runtime ?? 'docker';
  const name = container?.id.slice(0, 12) ?? '<container>';
  return [
    `${tool} exec -it ${name} npx ${inside}`,
    `${tool} run -it --rm --pid=container:${name} --network=container:${name} --cap-add=SYS_PTRACE node:24 npx ${inside}`,
    fromHost,
  ];
}
