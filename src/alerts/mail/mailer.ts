import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { createPollLoop } from '#scheduling/poll-loop.js';
import { type Claimed, claimAsks, claimNotices } from './claim.js';
import { createComposer } from './compose.js';
import { faultOf } from './fault.js';
import { createInviter } from './invite.js';
import { createMailLinks, type MailLinks } from './links.js';
import { enqueueNotices, type MailNotice } from './outbox.js';
import { createSettler, type MailOutcome } from './settle.js';
import { createStopTokens } from './token.js';
import { type MailServer, openTransport, type SendMail } from './transport.js';

/** Maximum number of mails that one process sends concurrently. */
const atOnce = 4;
/** Interval of polls for due mails, in milliseconds. */
const interval = 5000;
/**
 * Maximum time that a stopping process waits for mails in progress, in milliseconds. Other processes send the rest
 * again.
 */
const closeTimeout = 5000;

export interface MailerOptions {
  /** A pool that the storing of records does not use. */
  pool: pg.Pool;
  clock: () => number;
  log: Logger;
  registry: Registry;
  /** Keys of the service, the newest first. */
  secretKeys: readonly string[];
  server: MailServer;
  /** Origin of the links in mails. */
  origin: string;
}

/** E-mail of alert rules. */
export interface Mailer {
  /**
   * Stores notices for the recipients of episodes in the caller's transaction. Returns a function to call after the
   * commit, or undefined.
   */
  enqueue(
    tx: pg.PoolClient,
    kind: MailNotice['kind'],
    episodeIds: readonly string[],
  ): Promise<(() => void) | undefined>;
  links: MailLinks;
  /** Sends the link of an invitation at once. */
  invite: ReturnType<typeof createInviter>;
  /** Hints that a mail is due. */
  wake(): void;
  start(): void;
  close(): Promise<void>;
}

/** Creates e-mail over a database. */
export function createMailer({ pool, clock, log, registry, secretKeys, server, origin }: MailerOptions): Mailer {
  const tokens = createStopTokens(secretKeys);
  const closing = new AbortController();
  const metrics = createMailMetrics(registry, pool);
  const settler = createSettler(pool, clock);
  const compose = createComposer({ pool, clock, tokens, origin });
  let transport: Promise<SendMail> | undefined;
  const open = () => (transport ??= openTransport(server));

  const send = async (claimed: Claimed): Promise<void> => {
    const at = new Date(clock());
    const composed = await compose(claimed);
    if (composed === undefined) return settler.release(claimed);
    const { mail, ids } = composed;
    let outcome: MailOutcome;
    try {
      await (await open())(mail);
      outcome = await settler.sent(claimed, ids, at);
    } catch (error) {
      const fault = faultOf(error);
      outcome = await settler.failed(claimed, fault);
      logFault(log, claimed, outcome, fault.says);
    }
    metrics.count(outcome);
  };

  /** Sends a batch of due mails. Returns their number. */
  const sendSome = async (): Promise<number> => {
    const claim = { now: new Date(clock()), claimId: randomUUID(), limit: atOnce };
    const claimed = await transaction(pool, async (tx) => {
      const notices = await claimNotices(tx, claim);
      return [...notices, ...(await claimAsks(tx, { ...claim, limit: atOnce - notices.length }))];
    });
    const sent = await Promise.allSettled(claimed.map(send));
    // The lease of a mail that could not be settled expires by itself.
    const failed = sent.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return claimed.length;
  };

  const loop = createPollLoop({
    async poll() {
      while (!closing.signal.aborted && (await sendSome()) > 0);
    },
    interval,
    rest: () => 50,
    onFailure: (error) => log.warn({ err: error }, 'Due e-mail notices not sent; they will be sent later'),
  });
  return {
    async enqueue(tx, kind, episodeIds) {
      const isDue = await enqueueNotices(tx, kind, episodeIds, new Date(clock()));
      return isDue ? () => loop.wake() : undefined;
    },
    links: createMailLinks(pool, clock, tokens),
    invite: createInviter({ pool, clock, log, origin, open }),
    wake: () => loop.wake(),
    start: () => loop.start(),
    async close() {
      closing.abort();
      const waited = new AbortController();
      const late = delay(closeTimeout, undefined, { signal: waited.signal }).catch(() => undefined);
      await Promise.race([loop.close(), late]);
      waited.abort();
    },
  };
}

/**
 * Logs a mail that was not sent. The line holds neither the address nor the mail server's answer, which may repeat the
 * address.
 */
function logFault(log: Logger, { id, organizationId, kind }: Claimed, outcome: MailOutcome, says: string): void {
  const about = { recipientId: id, organizationId, kind, code: /^\d{3}/.exec(says)?.[0] };
  if (outcome === 'dropped') log.warn(about, 'E-mail notices dropped: they could not be sent for a day');
  else if (outcome === 'stopped') log.info(about, 'E-mail notices to an address stopped: its mail server refused it');
  else log.info(about, 'E-mail notice not sent; it will be tried again');
}

/** Maximum number of rows that a scrape counts, so that its cost does not grow with them. */
const countUpTo = 10_000;

/** Registers the metrics of e-mail. */
function createMailMetrics(registry: Registry, pool: pg.Pool): { count(outcome: MailOutcome): void } {
  const registers = [registry];
  const mails = new Counter({
    name: 'ddp_alert_mails_total',
    help: 'E-mails of alert rules by outcome: sent, failed (to be tried again), stopped (the address was refused), dropped.',
    labelNames: ['outcome'],
    registers,
  });
  new Gauge({
    name: 'ddp_alert_notices_waiting',
    help: `Notices that wait for an e-mail, counted up to ${countUpTo} rows.`,
    // Every worker reads the same number from the database.
    aggregator: 'max',
    registers,
    async collect() {
      const { rows } = await pool.query<{ waiting: number }>(sql`
        select coalesce(sum(count), 0)::float8 waiting from (select count from alert_mail limit ${countUpTo}) m`);
      this.set(rows[0]!.waiting);
    },
  });
  return {
    count(outcome) {
      if (outcome !== 'stale') mails.inc({ outcome });
    },
  };
}
