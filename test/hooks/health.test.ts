import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { dayMs, secondMs, weekMs } from '#common/time.js';
import { type Subject, useHookWorld } from './hook-world.js';
import { startReceiver } from './receiver.js';

const world = useHookWorld();

/** Reads the health columns of the hook. */
const health = async ({ hookId }: Subject) => {
  const { rows } = await world.pool.query<{
    failures_in_row: number;
    circuit_until: string | null;
    disabled: boolean;
    disabled_reason: string | null;
  }>(sql`select s.failures_in_row, s.circuit_until, h.disabled, h.disabled_reason
           from hook_state s join hook h on h.id = s.hook_id where h.id = ${hookId}`);
  return rows[0]!;
};

describe('circuit breaker of a hook', () => {
  it('opens after ten failures in a row, probes after 30 s, then 60 s, and closes after a success', async () => {
    let code = 500;
    const receiver = await startReceiver((response) => void response.writeHead(code).end());
    const hooks = await world.open({ schedule: [weekMs] });
    const subject = await world.subject({ url: receiver.url(), concurrency: 10 });
    await world.store(hooks, subject, 10);
    await receiver.received(10);
    await world.until(subject, (rows) => rows.every(({ attempts_made }) => attempts_made === 1));
    expect(await health(subject)).toMatchObject({
      failures_in_row: 10,
      circuit_until: new Date(world.now + 30 * secondMs).toISOString(),
    });

    // The circuit is open: due deliveries wait and use up no attempts.
    await world.store(hooks, subject, 20);
    await world.turn(hooks);
    expect(receiver.calls).toHaveLength(10);

    // One probe fails: the circuit stays open for twice as long.
    world.now += 30 * secondMs;
    hooks.wake();
    await receiver.received(11);
    await world.until(subject, (rows) => rows.filter(({ attempts_made }) => attempts_made === 1).length === 11);
    await world.turn(hooks);
    expect(receiver.calls).toHaveLength(11);
    expect((await health(subject)).circuit_until).toBe(new Date(world.now + 60 * secondMs).toISOString());

    // One probe succeeds: the circuit closes and all deliveries go out.
    code = 200;
    world.now += 60 * secondMs;
    hooks.wake();
    await world.until(subject, (rows) => rows.filter(({ state }) => state === 'succeeded').length === 19);
    expect(await health(subject)).toMatchObject({ failures_in_row: 0, circuit_until: null });
    await receiver.close();
  });

  it('ignores pings, whether they fail or succeed', async () => {
    let code = 500;
    const receiver = await startReceiver((response) => void response.writeHead(code).end());
    const hooks = await world.open({ schedule: [weekMs] });
    const subject = await world.subject({ url: receiver.url(), concurrency: 10 });
    const ping = () =>
      hooks.ping({
        id: subject.hookId,
        application: { id: subject.applicationId, organizationId: subject.organizationId },
      });
    await Promise.all(Array.from({ length: 12 }, ping));
    expect(await health(subject)).toMatchObject({ failures_in_row: 0, circuit_until: null });
    await world.store(hooks, subject, 10);
    await world.until(subject, (rows) => rows.filter(({ attempts_made }) => attempts_made === 1).length === 22);
    code = 200;
    await ping();
    expect(await health(subject)).toMatchObject({
      failures_in_row: 10,
      circuit_until: new Date(world.now + 30 * secondMs).toISOString(),
    });
    await receiver.close();
  });

  it("stays closed after failures on the service's own side", async () => {
    const hooks = await world.open({ addresses: { allow: [], deny: [] } });
    const subject = await world.subject({ url: 'http://127.0.0.1:9/' });
    await world.store(hooks, subject, 12);
    const rows = await world.until(subject, (all) => all.every(({ attempts_made }) => attempts_made === 1));
    expect(rows[0]?.error).toMatchObject({ code: 'BLOCKED' });
    expect(await health(subject)).toMatchObject({ failures_in_row: 0, circuit_until: null });
  });
});

describe('webhook call while the service itself is blocked', () => {
  /** Blocks this process for the given time. */
  const hold = (milliseconds: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

  it('succeeds when the answer came before the service noticed the deadline', async () => {
    const receiver = await startReceiver((response) => {
      response.end('fine');
      hold(1000);
    });
    const hooks = await world.open({ timeout: 500 });
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    const [row] = await world.until(subject, ([first]) => first?.attempts_made === 1);
    expect(row).toMatchObject({ state: 'succeeded', response: { statusCode: 200, body: 'fine' } });
    await receiver.close();
  });

  it('counts no failure of the hook when the service noticed the deadline too late', async () => {
    const receiver = await startReceiver(() => void hold(2000));
    const hooks = await world.open({ timeout: 500 });
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    const [row] = await world.until(subject, ([first]) => first?.attempts_made === 1);
    expect(row?.error?.message).toBe('There was no answer within 0.5 s, in which this service itself was held up.');
    expect(await health(subject)).toMatchObject({ failures_in_row: 0, circuit_until: null });
    await receiver.close();
  });
});

describe('hook with failing calls', () => {
  it('becomes disabled after five days, and works again after it is enabled', async () => {
    let code = 500;
    const receiver = await startReceiver((response) => void response.writeHead(code).end());
    const hooks = await world.open({ schedule: [3 * dayMs, 3 * dayMs, 3 * dayMs] });
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    for (let made = 1; made <= 3; made++) {
      await world.until(subject, ([row]) => row?.attempts_made === made);
      expect(await health(subject)).toMatchObject({ disabled: made === 3 });
      if (made < 3) world.now += 3 * dayMs;
      hooks.wake();
    }
    expect(await health(subject)).toMatchObject({ disabled: true, disabled_reason: 'failing' });

    code = 200;
    await world.pool.query(
      sql`update hook set disabled = false, updated_at = ${new Date(world.now)} where id = ${subject.hookId}`,
    );
    world.now += 3 * dayMs;
    hooks.wake();
    await world.until(subject, ([row]) => row?.state === 'succeeded' || row?.state === 'failed');
    expect(await health(subject)).toMatchObject({ failures_in_row: 0, disabled: false });
    await receiver.close();
  });

  it('stays enabled while any call succeeds', async () => {
    let calls = 0;
    const receiver = await startReceiver((response) => void response.writeHead(calls++ === 1 ? 200 : 500).end());
    const hooks = await world.open({ schedule: [] });
    const subject = await world.subject({ url: receiver.url() });
    for (let made = 1; made <= 4; made++) {
      await world.store(hooks, subject);
      await world.until(
        subject,
        (rows) => rows.length === made && rows.every(({ attempts_made }) => attempts_made === 1),
      );
      world.now += 2 * dayMs;
    }
    expect(await health(subject)).toMatchObject({ failures_in_row: 2, disabled: false });
    await receiver.close();
  });
});
