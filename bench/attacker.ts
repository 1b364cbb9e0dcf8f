import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { attacks } from './attack.js';
import { type Attacker, attackerAddress } from './attack-call.js';

/**
 * Attacks until it is ended, in a separate process, so that its own work delays no measurement. The attacker's identity
 * arrives as a message, which other users of the machine cannot see. Arguments are names of attacks; without any, all
 * of them run.
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
        // The attacker waits a second before it repeats an attack that the service refused with a response or a closed
        // connection, as refusals ask clients to do. A faster attack is a flood, which the proxy in front of the
        // service must stop.
        const answered = await rounds[round % rounds.length]!().catch(() => undefined);
        if (answered === undefined || answered === 429) await pause(1000);
      }
    })();
  }
}
