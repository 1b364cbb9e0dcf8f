import { randomBytes } from 'node:crypto';
import { type Call, compare } from './load.js';
import { openStage } from './stage.js';

/** Compares creates of teams and devices with their event in the audit log and without: two services over one database, in turn. */
export const run = async ([seconds = '3']: readonly string[]): Promise<void> => {
  const stage = await openStage();
  const without = await stage.serve({ NODE_OPTIONS: `--import=${new URL('./without-audit.js', import.meta.url)}` });
  try {
    const { origin, pathname } = new URL(stage.base);
    const at = `${pathname}/organizations/${stage.organizationId}`;
    const works: [title: string, call: Call][] = [
      ['create team', post(() => `${at}/teams`, { name: 'Field Ops', description: 'Visits pumps.' })],
      ['register device', post(() => `${at}/devices/${randomBytes(8).toString('hex')}`, { name: 'Pump', tags: ['a'] })],
    ];
    for (const [title, call] of works) {
      const sides = [
        { name: 'without the event', origin: without.origin, call },
        { name: 'with it', origin, call },
      ];
      for (const connections of [1, 32]) await compare(title, sides, stage.token, Number(seconds), connections);
    }
    await requireEvents(stage.pool);
  } finally {
    await without.close();
    await stage.close();
  }
};

const post = (path: () => string, body: object): Call => ({ method: 'POST', path, body: () => JSON.stringify(body) });

/** Throws unless about half of the teams have an event: else the sides were not what they are called. */
const requireEvents = async (pool: { query: (text: string) => Promise<{ rows: unknown[] }> }): Promise<void> => {
  const { rows } = await pool.query(
    `select (select count(*) from audit_event where action = 'createTeam')::float8 / (select count(*) from team) as share`,
  );
  const { share } = rows[0] as { share: number };
  if (share < 0.3 || share > 0.7) throw new Error(`${share} of the teams have an event.`);
};
