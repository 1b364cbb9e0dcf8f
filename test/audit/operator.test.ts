import { userInfo } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { runCommand } from '../support/command.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

const ddp = async (...args: string[]): Promise<Record<string, string>> => {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], { DATABASE_URL: world.databaseUrl });
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, string>;
};

describe('ddp command of an operator', () => {
  it('writes an event with the name of the operator into each organization that it changes', async () => {
    const owner = await world.organization();
    const member = await world.member(owner, Role.member);
    const product = { name: 'Probe', version: '1', variables: [] };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const { id, token } = await ddp('token', 'create', '--organization', owner.id, '--name', 'Spare');
    await ddp('token', 'revoke', id!);
    await ddp('product', 'publish', productId);
    await ddp('quota', 'set', owner.id, '--devices', '5');
    await ddp('retention', 'set', '90d', '--organization', owner.id);
    const link = await ddp('user', 'sign-in-link', member.id);
    await ddp('user', 'disable', member.id);
    await ddp('organization', 'disable', owner.id);
    const { rows } = await world.pool.query<{ text: string; action: string; actor: string; changes: object }>(
      `select action, actor_name as actor, changes, e::text as text from audit_event e
        where organization_id = $1 and actor_kind = 'operator' order by id`,
      [owner.id],
    );
    const changes = Object.fromEntries(rows.map((row) => [row.action, row.changes]));
    expect(rows.map(({ action }) => action)).toEqual([
      'organization create',
      'token create',
      'token create',
      'token create',
      'token revoke',
      'product publish',
      'quota set',
      'retention set',
      'user sign-in-link',
      'user disable',
      'organization disable',
    ]);
    expect(new Set(rows.map(({ actor }) => actor))).toEqual(new Set([userInfo().username]));
    expect(changes).toMatchObject({
      'token revoke': { revoked: [false, true] },
      'product publish': { public: [false, true] },
      'quota set': { devices: [null, 5] },
      'retention set': { keepMilliseconds: [null, 90 * 86_400_000] },
      'user disable': { disabled: [false, true] },
      'organization disable': { disabled: [false, true] },
    });
    const secrets = [token!, new URL(link['url']!).searchParams.get('token')!];
    for (const { text } of rows) for (const secret of secrets) expect(text).not.toContain(secret);
    await ddp('organization', 'enable', owner.id);
  });

  it('writes no event when it fails', async () => {
    const owner = await world.organization();
    const { code } = await runCommand(['token', 'create', '--organization', owner.id, '--user', owner.id], {
      DATABASE_URL: world.databaseUrl,
    });
    expect(code).toBe(1);
    const { rows } = await world.pool.query('select action from audit_event where organization_id = $1 order by id', [
      owner.id,
    ]);
    expect(rows).toEqual([{ action: 'organization create' }, { action: 'token create' }]);
  });
});
