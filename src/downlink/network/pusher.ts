import type { Pool } from 'pg';
import { type CallLimiter, createCallLimiter } from '#calls/call-limiter.js';
import type { CallOutcome } from '#calls/caller.js';
import { retryAfter, waitAfter } from '#calls/retry-schedule.js';
import type { Log } from '#common/log.js';
import { newId } from '#entities/id.js';
import { createPollLoop, type PollLoop } from '#scheduling/poll-loop.js';
import type { NewEvidence } from '../note-evidence.js';
import { type Ask, type Asked, keyLost } from './ask.js';
import { dialects } from './dialects.js';
import { type BegunPush, beginCall, lostCall, type PushResult, settleCall } from './push.js';
import {
  abandonPush,
  type ClaimedPush,
  claimPushes,
  noteHealth,
  recoverPushes,
  releasePush,
  unreserve,
} from './push-rows.js';
import { explain, jsonOf } from './verdict.js';

export interface PusherOptions {
  pool: Pool;
  ask: Ask;
  log: Log;
  /** Waits between attempts, in milliseconds. */
  schedule: readonly number[];
  /** Deadline of a call, in milliseconds. */
  timeout: number;
  clock: () => number;
  random: () => number;
  /** Called when the state of a command of these devices may have changed. */
  onSettled(deviceIds: readonly string[]): void;
}

/** Maximum number of devices that one process has claimed. */
const maxClaimed = 200;
const pollInterval = 500;
const recoveryInterval = 5000;
/** Time that a lease lasts beyond two calls: the one that pushes, and the one that looks into the queue. */
const leaseMargin = 45_000;

/**
 * Pushes commands to network servers: claims devices with waiting commands, calls, settles. A command is never pushed
 * again once a call for it may have reached the server.
 */
export class Pusher {
  private readonly claimed = new Map<string, ClaimedPush>();
  private readonly running = new Set<Promise<void>>();
  private readonly limiter: CallLimiter<ClaimedPush> = createCallLimiter((push: ClaimedPush) => this.run(push));
  private readonly claiming: PollLoop;
  private readonly recovering: PollLoop;
  private readonly lease: number;

  constructor(private readonly options: PusherOptions) {
    const { log, timeout } = options;
    this.lease = 2 * timeout + leaseMargin;
    this.claiming = createPollLoop({
      poll: () => this.claim(),
      interval: pollInterval,
      rest: () => 10,
      onFailure: (error, failures) =>
        failures === 0 && log.error({ err: error }, 'Commands cannot be given to network servers; trying again'),
    });
    this.recovering = createPollLoop({
      poll: () => this.recover(),
      interval: recoveryInterval,
      onFailure: (error) => log.warn({ err: error }, 'Calls to network servers that ended cannot be settled'),
    });
  }

  start(): void {
    this.claiming.start();
    this.recovering.start();
  }

  /** Hints that commands may wait. */
  wake(): void {
    this.claiming.wake();
  }

  /** Claims nothing more, and waits for the calls in progress. */
  async close(): Promise<void> {
    await Promise.all([this.claiming.close(), this.recovering.close()]);
    const left = this.limiter.close();
    await Promise.all(left.map((push) => this.options.pool.query(releasePush(push))));
    await Promise.all(this.running);
  }

  private async claim(): Promise<void> {
    const { pool } = this.options;
    const limit = maxClaimed - this.claimed.size;
    if (limit <= 0) return;
    const underWay = new Map<string, number>();
    for (const { organizationId: id } of this.claimed.values()) underWay.set(id, (underWay.get(id) ?? 0) + 1);
    const { lease } = this;
    const { rows } = await pool.query<ClaimedPush>(claimPushes({ claimId: newId(), limit, lease, underWay }));
    for (const push of rows) {
      this.claimed.set(push.deviceId, push);
      this.limiter.admit(push.organizationId, push);
    }
  }

  private async recover(): Promise<void> {
    const { pool } = this.options;
    const { rows } = await pool.query<ClaimedPush>(recoverPushes(newId(), this.lease));
    await Promise.all(
      rows.map(async (push) => {
        const lost = await lostCall(pool, push);
        const asked = lost && (await this.lookIntoQueue(lost));
        await this.settle(push, null, asked ?? unknown);
      }),
    );
    if (rows.length > 0) this.wake();
  }

  private run(push: ClaimedPush): Promise<void> {
    const { log } = this.options;
    const work = this.push(push)
      // The lease ends by itself: another process then settles what was begun.
      .catch((error: unknown) => log.error({ err: error }, 'A command was not given to its network server'))
      .finally(() => {
        this.running.delete(work);
        this.claimed.delete(push.deviceId);
        this.wake();
      });
    this.running.add(work);
    return work;
  }

  private async push(push: ClaimedPush): Promise<void> {
    const { pool, ask } = this.options;
    const begun = await beginCall(pool, push, this.lease);
    if (begun === undefined) return this.options.onSettled([push.deviceId]);
    const { command, server, device } = begun;
    const { push: requestOf, itemOf } = dialects[server.kind];
    const asked = await ask(server, requestOf(server.application, device, command)).catch(keyLost);
    if (!('outcome' in asked)) return this.settle(push, command.id, this.refused(begun, asked));
    const { outcome } = asked;
    const { answer, fault, sent } = outcome;
    if (answer === undefined && fault === undefined) {
      // This service stops. Another process settles a call that was begun.
      await pool.query(sent ? abandonPush(push) : releasePush(push));
      if (!sent) await pool.query(unreserve(command.id, false));
      return;
    }
    if (answer === undefined ? sent : isLost(answer.statusCode))
      return this.settle(push, command.id, (await this.lookIntoQueue(begun)) ?? unknown, server.id, false);
    if (answer !== undefined && isTaken(answer.statusCode))
      return this.settle(push, command.id, taken(server.id, itemOf(jsonOf(answer.body))), server.id, true);
    return this.settle(push, command.id, this.refusedBy(begun, asked), isFault(outcome) ? server.id : undefined, false);
  }

  /** Returns the result of a lost call if the server's queue has the command; undefined if it does not tell. */
  private async lookIntoQueue({
    command,
    server,
    device,
  }: Omit<BegunPush, 'attempts'>): Promise<PushResult | undefined> {
    const { listQueue, isQueued } = dialects[server.kind];
    if (listQueue === undefined || isQueued === undefined) return undefined;
    const asked = await this.options.ask(server, listQueue(server.application, device)).catch(keyLost);
    const answer = 'outcome' in asked ? asked.outcome.answer : undefined;
    if (answer === undefined || !isTaken(answer.statusCode)) return undefined;
    return isQueued(jsonOf(answer.body), command.id) ? taken(server.id, undefined) : undefined;
  }

  private refusedBy(begun: BegunPush, { outcome, hide }: Asked): PushResult {
    const { status, ...refusal } = explain(outcome, hide);
    const header = status === 429 || status === 503 ? outcome.answer?.headers['retry-after'] : undefined;
    const requested = retryAfter(Array.isArray(header) ? header[0] : header, this.options.clock());
    return this.refused(begun, { ...refusal, ...(status !== undefined && { status }) }, requested);
  }

  /** Returns the result of a call that the server did not take. It is repeated until the command expires. */
  private refused({ server, attempts }: BegunPush, refusal: { code: string }, requested = 0): PushResult {
    const { schedule, random } = this.options;
    const { code, ...detail } = refusal;
    const remaining = Math.max(1, schedule.length - attempts);
    return {
      evidence: { source: 'service', kind: 'noted', code, detail: { networkServerId: server.id, ...detail } },
      wait: waitAfter(schedule, remaining, random(), requested) ?? 0,
    };
  }

  private async settle(
    push: ClaimedPush,
    commandId: string | null,
    result: PushResult,
    serverId?: string,
    isHealthy = true,
  ): Promise<void> {
    const { pool, onSettled } = this.options;
    await settleCall(pool, push, commandId, result);
    if (serverId !== undefined) await pool.query(noteHealth(serverId, isHealthy));
    onSettled([push.deviceId]);
  }
}

const isTaken = (status: number): boolean => status >= 200 && status < 300;

/** Whether a proxy says that it got no answer: what is behind it may have taken the command. */
const isLost = (status: number): boolean => status === 502 || status === 504;

/** Whether an outcome speaks against the server, and not against the one device or command. */
const isFault = ({ answer, fault }: CallOutcome): boolean =>
  answer === undefined ? fault?.ours !== true : answer.statusCode >= 500 || [401, 403, 429].includes(answer.statusCode);

const taken = (networkServerId: string, item: string | undefined): PushResult => ({
  evidence: {
    source: 'service',
    kind: 'handed',
    detail: { networkServerId, ...(item !== undefined && { queueItemId: item }) },
  },
  item,
  wait: undefined,
});

const lost: NewEvidence = { source: 'service', kind: 'unknown', code: 'ANSWER_LOST' };
const unknown: PushResult = { evidence: lost, wait: undefined };
