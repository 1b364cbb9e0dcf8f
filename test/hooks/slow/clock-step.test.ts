import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { hourMs } from '#common/time.js';
import { newId } from '#entities/id.js';
import { watchClock } from '#hooks/clock-step.js';
import { useHookWorld } from '../hook-world.js';
import { fine, type Receiver, startReceiver, status } from '../receiver.js';

const world = useHookWorld();

describe('clock watch', () => {
  it('repeats its check ten seconds after the clock was stepped back, for calls that were in flight', async () => {
    let [now, passed] = [10 * hourMs, 0];
    const looks: number[] = [];
    const watched = watchClock(
      () => now,
      () => passed,
    );
    const pass = async (seconds: number) => {
      now += 1000 * seconds;
      passed += 1000 * seconds;
      watched.clock();
      await watched.look(async () => void looks.push(passed / 1000));
    };
    for (let second = 0; second < 100; second += 5) await pass(5);
    looks.length = 0;
    now -= hourMs;
    for (let second = 0; second < 100; second += 5) await pass(5);
    expect(looks).toEqual([105, 115]);
  });
});

describe('webhook deliveries after the clock is stepped back by an hour', () => {
  let receiver: Receiver;
  let answer = fine;

  beforeEach(async () => {
    world.now = Date.now();
    answer = fine;
    receiver = await startReceiver((response, call) => answer(response, call));
  });
  afterEach(() => receiver.close());

  it('waits for the next attempt as long as the schedule says', async () => {
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url() });
    answer = status(500);
    world.now += hourMs;
    await world.store(hooks, subject);
    await world.until(subject, ([row]) => row?.attempts_made === 1);
    answer = fine;
    world.now -= hourMs;
    const [due] = await world.until(
      subject,
      ([row]) => new Date(row!.next_attempt_at).getTime() < world.now + hourMs / 2,
    );
    expect(new Date(due!.next_attempt_at).getTime() - world.now).toBeLessThanOrEqual(5000);
    world.now += 6000;
    hooks.wake();
    await world.until(subject, ([row]) => row?.state === 'succeeded');
  });

  it('adds no hour to the wait of a delivery whose call ended just before the step', async () => {
    // The service draws the random number between the end of the call and its settlement. At that moment, the clock is
    // stepped back.
    const random = () => {
      if (answer !== fine) world.now -= hourMs;
      answer = fine;
      return 0.5;
    };
    const hooks = await world.open({ random });
    const subject = await world.subject({ url: receiver.url() });
    answer = status(500);
    await world.store(hooks, subject);
    const [due] = await world.until(subject, ([row]) => row?.attempts_made === 1);
    expect(new Date(due!.next_attempt_at).getTime() - world.now).toBe(5000);
    world.now += 6000;
    hooks.wake();
    await world.until(subject, ([row]) => row?.state === 'succeeded');
  });

  it("sends waiting deliveries, and those with a stale lease, a rate limit or an open circuit, without an hour's delay", async () => {
    const behind = { url: receiver.url() };
    const [leased, limited, broken] = [
      await world.subject(behind),
      await world.subject({ ...behind, max_per_second: 1 }),
      await world.subject(behind),
    ];
    const ahead = new Date(world.now + hourMs);
    for (const subject of [leased, limited, broken])
      await world.pool.query(sql`
        insert into delivery (id, hook_id, organization_id, application_id, device_id, event, state, queued_at,
          next_attempt_at, max_attempts, payload, created_at, updated_at)
        values (${newId()}, ${subject.hookId}, ${subject.organizationId}, ${subject.applicationId}, ${subject.device.id},
          'record', 'pending', ${ahead}, ${ahead}, 3, '{}', ${ahead}, ${ahead})`);
    await world.pool.query(sql`insert into delivery_lease (hook_id, id, claim_id, locked_until)
      select hook_id, id, ${newId()}, ${new Date(world.now + hourMs + 60_000)} from delivery where hook_id = ${leased.hookId}`);
    await world.pool.query(
      sql`update hook_state set tokens = 0, tokens_at = ${ahead} where hook_id = ${limited.hookId}`,
    );
    await world.pool.query(sql`update hook_state set failures_in_row = 10, circuit_openings = 1,
      failing_since = ${ahead}, last_failure_at = ${ahead}, circuit_until = ${new Date(world.now + hourMs + 60_000)} where hook_id = ${broken.hookId}`);
    await world.open();
    await world.until(limited, ([row]) => {
      world.now += 100;
      return row?.state === 'succeeded';
    });
    world.now += 100_000;
    await world.drained([leased, limited, broken]);
    expect(receiver.calls).toHaveLength(3);
  });
});
