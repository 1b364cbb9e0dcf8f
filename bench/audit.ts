import { randomBytes } from 'node:crypto';
import { type Row, report } from './figures.js';
import { type Call, load } from './load.js';
import { spentBy } from './processor.js';
import { openStage, type Stage } from './stage.js';

const rounds = 20;

/**
 * Compares the creation of teams and devices with and without an event in the audit log, by two services over one
 * database, in turn. Processor time of the service and PostgreSQL varies less than the rate when other programs use the
 * machine.
 */
export const run = async ([seconds = '1']: readonly string[]): Promise<void> => {
  const stage = await openStage();
  const without = await stage.serve({ NODE_OPTIONS: `--import=${new URL('./without-audit.js', import.meta.url)}` });
  try {
    const { origin, pathname } = new URL(stage.base);
    const at = `${pathname}/organizations/${stage.organizationId}`;
    const services = [
      { name: 'without the event', origin: without.origin, pid: without.pid },
      { name: 'with it', origin, pid: stage.pid },
    ];
    const works: [title: string, call: Call][] = [
      ['create team', post(() => `${at}/teams`, { name: 'Field Ops', description: 'Visits pumps.' })],
      ['register device', post(() => `${at}/devices/${randomBytes(8).toString('hex')}`, { name: 'Pump', tags: ['a'] })],
    ];
    for (const [title, call] of works) {
      const rates = services.map(({ name }): Row => ({ name, figures: [] }));
      const times = services.map(({ name }): Row => ({ name, figures: [] }));
      for (let round = 0; round <= rounds; round += 1) {
        for (const [index, service] of services.entries()) {
          const { rate, time } = await measure(stage, service, call, Number(seconds));
          // The first round only warms up.
          if (round === 0) continue;
          rates[index]!.figures.push(rate);
          times[index]!.figures.push(time);
        }
      }
      for (const rows of [rates, times]) rows[1]!.against = rows[0]!;
      report(`${title}, 32 connections`, 'req/s', rates);
      report(`${title}, processor time of one`, 'us', times);
    }
    await requireEvents(stage);
  } finally {
    await without.close();
    await stage.close();
  }
};

const post = (path: () => string, body: object): Call => ({ method: 'POST', path, body: () => JSON.stringify(body) });

interface Service {
  name: string;
  origin: string;
  pid: number;
}

/** Loads a service, and returns its rate and the processor time of one request in microseconds. */
const measure = async ({ pool, token }: Stage, { name, origin, pid }: Service, call: Call, seconds: number) => {
  const before = await spentBy({ pool, pid });
  const begun = performance.now();
  const rate = await load({ name, origin, call }, token, seconds);
  const count = (rate * (performance.now() - begun)) / 1000;
  const after = await spentBy({ pool, pid });
  return { rate, time: (after.service - before.service + after.database - before.database) / count };
};

/** Throws unless about half of the teams have an event. Otherwise the two sides would be mislabelled. */
const requireEvents = async ({ pool }: Stage): Promise<void> => {
  const { rows } = await pool.query<{ share: number }>(
    `select (select count(*) from audit_event where action = 'createTeam')::float8 / (select count(*) from team) as share`,
  );
  const { share } = rows[0]!;
  if (share < 0.3 || share > 0.7) throw new Error(`${share} of the teams have an event.`);
};
