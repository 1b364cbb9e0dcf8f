import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { createSignInLink } from '#operator/sign-in-link.js';
import { newSession } from '../auth/matrix.js';
import { newInvitation, newLink } from '../auth/operations.js';
import { figure, makeApplication, saved } from '../dashboard/dashboard.js';
import { move, newChain } from '../graph/sites.js';
import { type Outcome, runCommand } from '../support/command.js';
import { createDatabase, execute } from '../support/server.js';
import { useWorld } from '../support/world.js';

const world = useWorld({});
const document = { format: 1, range: '24h', variables: [], panels: [figure] };
let folder: string;
let file: string;

const run = (databaseUrl: string, ...args: string[]): Promise<Outcome> =>
  runCommand(args, { DATABASE_URL: databaseUrl });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ddp-backup-'));
  file = join(folder, 'all.backup');
  const owner = await world.organization();
  const device = await owner.make(`/organizations/${owner.id}/devices/ba-01`);
  await move(owner, [device], (await newChain(owner, 3)).at(-1)!, 1000);
  const records = [1, 2, 3].map((n) => ({ serial: 'ba-01', data: { n } }));
  expect((await owner.post(`/organizations/${owner.id}/records`, records)).status).toBe(200);
  const member = await world.member(owner, Role.member);
  const id = await makeApplication(owner);
  await saved(owner, { owner, id, version: 0, document });
  await newLink({ owner, applicationId: id });
  await newSession(world, owner.id, member.id);
  await createSignInLink(world.pool, member.id, new Date());
  await newInvitation({ owner, fresh: () => 'guest' });
  expect(await run(world.databaseUrl, 'backup', file)).toMatchObject({ code: 0 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('ddp backup', () => {
  it('exits with code 1 when the file exists', async () => {
    const outcome = await run(world.databaseUrl, 'backup', file);
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: `${file} exists: name a new file.\n` });
  });
});

describe('ddp restore', () => {
  it('copies every record into an empty database', async () => {
    const restored = await createDatabase({ template: false });
    expect(await run(restored, 'restore', file)).toMatchObject({ code: 0 });
    const { rows } = await execute(restored, "select data ->> 'n' as name from record order by seq");
    expect(rows).toEqual([{ name: '1' }, { name: '2' }, { name: '3' }]);
  });

  it('brings dashboards with their versions, and their links', async () => {
    const restored = await createDatabase({ template: false });
    await run(restored, 'restore', file);
    const { rows } = await execute(
      restored,
      `select b.version, b.document, k.name from dashboard b join api_token k using (application_id)`,
    );
    expect(rows).toEqual([{ version: 1, document, name: 'Wall' }]);
  });

  it('brings sites with those above them, and the sites of devices', async () => {
    const restored = await createDatabase({ template: false });
    await run(restored, 'restore', file);
    const { rows } = await execute(
      restored,
      `select d.serial, s.name, p.name as parent, cardinality(s.path) as level, extract(epoch from started_at)::int as since
         from device_site ds join device d on d.id = ds.device_id join site s on s.id = ds.site_id
         join site p on p.id = s.parent_id and s.path = p.path || s.id`,
    );
    expect(rows).toEqual([{ serial: 'ba-01', name: 'L3', parent: 'L2', level: 3, since: 1000 }]);
  });

  it('brings invitations, and signs nobody in', async () => {
    const restored = await createDatabase({ template: false });
    await run(restored, 'restore', file);
    const { rows } = await execute(
      restored,
      `select 'invitation' as name from invitation union all select 'session' from session
        union all select 'link' from sign_in_link`,
    );
    expect(rows).toEqual([{ name: 'invitation' }]);
  });
});
