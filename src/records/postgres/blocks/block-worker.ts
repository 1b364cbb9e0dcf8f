import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createPool } from '#database/pools.js';
import type { BlockMessage, BlockWork } from './block-work.js';
import { runBlockWork } from './make-due-days.js';

/* The thread that makes blocks, and ends when no day is due. It may be ended at any time. */

// On Linux this is the priority of the thread alone. The event loop of the service goes first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const { connectionString, now, mode } = workerData as BlockWork;
const tell = (message: BlockMessage) => parentPort!.postMessage(message, []);
const pool = createPool(connectionString, { max: 2, name: 'ddp blocks', priority: 'slow' });
try {
  await runBlockWork(pool, new Date(now), mode, {
    onDay: (day) => tell({ day }),
    onFault: (day, fault) => tell({ day, fault }),
  });
} finally {
  await pool.end();
}
