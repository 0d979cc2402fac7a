import type { ChildProcess } from 'node:child_process';

interface Message {
  readonly id?: number;
  readonly method?: string;
}

/**
 * Acts as a user's debugger: connects to the inspector that the program announces, waits until the program pauses at its
 * `debugger` statement, and resumes it after `pauseMs`.
 */
export async function pauseAtBreakpoint(child: ChildProcess, pauseMs: number): Promise<void> {
  const socket = new WebSocket(await inspectorUrl(child));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  let lastId = 0;
  const post = (method: string, params: Record<string, unknown> = {}): void => {
    lastId += 1;
    socket.send(JSON.stringify({ id: lastId, method, params }));
  };
  const paused = new Promise<void>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      if ((JSON.parse(String(data)) as Message).method === 'Debugger.paused') resolve();
    });
  });
  post('Debugger.enable');
  post('Runtime.evaluate', { expression: 'globalThis.clientIsReady = true' });
  await paused;
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  post('Debugger.resume');
  post('Debugger.disable');
  // The program reports and ends only after the debugger has disconnected.
  setTimeout(() => {
    socket.close();
  }, 500);
}

function inspectorUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (text: string) => {
      output += text;
      const url = /ws:\/\/\S+/.exec(output)?.[0];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => {
      reject(new Error(`Expected the program to announce its inspector, got: ${output}`));
    });
  });
}
