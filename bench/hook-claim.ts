import { stdout } from 'node:process';
import sql from 'sql-template-tag';
import { newId } from '#entities/id.js';
import { claimQuery } from '#hooks/claim.js';
import { dispatcherSession } from '#hooks/hooks.js';
import { median } from './figures.js';
import { openHookStage } from './hook-stage.js';

/** Measures a claim while a million deliveries wait on one hook that has no free slot. */
export async function claimAmongMany(): Promise<void> {
  const stage = await openHookStage();
  const { pool, hookIds, devices } = stage;
  await pool.query(sql`
    insert into delivery (id, hook_id, organization_id, application_id, device_id, event, state, queued_at, next_attempt_at,
                          max_attempts, payload, created_at, updated_at)
    select gen_random_uuid(), ${hookIds[0]}, ${devices[0]!.organizationId}, ${newId()}, ${devices[0]!.id}, 'record',
           'pending', now(), now() - interval '1 minute', 2, '{}', now(), now()
      from generate_series(1, 1000000) n`);
  await pool.query(sql`
    insert into delivery_lease (hook_id, id, claim_id, locked_until)
    select hook_id, id, id, 'infinity' from delivery_open limit 8`);
  await pool.query('analyze delivery');
  const client = await pool.connect();
  for (const setting of dispatcherSession.split('-c ').filter(Boolean)) {
    const [name, value] = setting.trim().split('=') as [string, string];
    await client.query(sql`select set_config(${name}, ${value}, false)`);
  }
  const hooks = stage.hooks();
  const took: number[] = [];
  for (let round = 0; round < 30; round++) {
    await stage.store(hooks, 50);
    const { text, values } = claimQuery({
      claimId: newId(),
      limit: 500,
      now: Date.now(),
      free: 1000,
      underWay: new Map(),
    });
    const begun = performance.now();
    await client.query({ name: 'claim', text, values });
    took.push(performance.now() - begun);
    await pool.query(sql`
      with mine as (delete from delivery_lease where locked_until < 'infinity' returning hook_id, id)
      delete from delivery_open d using mine m where d.hook_id = m.hook_id and d.id = m.id`);
  }
  client.release();
  await stage.close();
  stdout.write(`\nClaim of 49 deliveries while 1,000,000 wait on a saturated hook: ${median(took).toFixed(1)} ms\n`);
}
