import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { attacks } from './attack.js';
import { type Attacker, attackerAddress } from './attack-call.js';

/**
 * Attacks until it is ended, in a process of its own, so that its own work delays no measurement. Who it is comes as a message,
 * which no other user of the machine sees; its arguments are names of attacks, all where there are none.
 */
process.on('disconnect', () => process.exit());
const [{ tokens, ...given }] = (await once(process, 'message')) as [
  Omit<Attacker, 'client' | 'token'> & { tokens: string[] },
];
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(attacks);
const tasks = await Promise.all(
  names.map(async (name, index) => {
    const client = new Pool(given.origin, { connections: 50, localAddress: attackerAddress });
    const attacker = { ...given, client, token: tokens[index % tokens.length]! };
    return { name, workers: attacks[name]!.workers, rounds: await attacks[name]!.prepare(attacker) };
  }),
);
process.send!('ready');
for (const { workers, rounds } of tasks) {
  for (let worker = 0; worker < workers; worker += 1) {
    void (async () => {
      for (let round = worker; ; round += 1) {
        // What is refused, by an answer or by the end of its connection, is tried again after the second that refusals name:
        // to send any faster is a flood, which is for what stands in front of the service to stop.
        const answered = await rounds[round % rounds.length]!().catch(() => undefined);
        if (answered === undefined || answered === 429) await pause(1000);
      }
    })();
  }
}
