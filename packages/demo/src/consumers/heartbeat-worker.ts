/** Worker thread that sends the heartbeat of one consumer generation once a second. */
import { parentPort, workerData } from 'node:worker_threads';

const INTERVAL_MS = 1000;

const { generation } = workerData as { generation: number };

function beat(): void {
  parentPort?.postMessage({ generation });
}

beat();
setInterval(beat, INTERVAL_MS);
