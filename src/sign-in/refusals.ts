import type { Pool } from 'pg';
import { Counter, type Registry } from 'prom-client';
import sql from 'sql-template-tag';
import type { SparseEvents } from '#audit/sparse-events.js';
import type { Log } from '#common/log.js';
import type { OidcProviderSettings } from '#config/oidc-setting.js';
import { newValues } from '#entities/audit-event.js';
import type { RefusalReason, SignInRefusal } from './refusal.js';
import type { Visitor } from './sessions.js';

/** A sign-in that is refused, as far as it is known. */
export interface Refused {
  refusal: Pick<SignInRefusal, 'reason' | 'message' | 'detail'>;
  provider?: OidcProviderSettings | undefined;
  /** Subject that the provider named, once its answer was checked. */
  subject?: string | undefined;
  /** Account of that person. */
  userId?: string | undefined;
  /** Hash of the invitation's token. */
  invitation?: Buffer | undefined;
}

/** Leaves the reason of a refused sign-in: a log line, a count and an event of the audit log. */
export type NoteRefused = (refused: Refused, visitor: Visitor) => Promise<void>;

export interface RefusalsOptions {
  pool: Pool;
  log: Log;
  registry: Registry;
  sparseEvents: SparseEvents;
}

/** Registers the metric of refused sign-ins. Returns the function that notes one. */
export function createRefusals({ pool, log, registry, sparseEvents }: RefusalsOptions): NoteRefused {
  const refused = new Counter({
    name: 'ddp_sign_in_refused_total',
    help: 'Sign-ins that were refused, by number of the provider (0: a link) and reason.',
    labelNames: ['provider', 'reason'],
    registers: [registry],
  });
  return async ({ refusal, provider, subject, userId, invitation }, { requestId, address }) => {
    const { reason, message, detail } = refusal;
    refused.inc({ provider: provider?.number ?? 0, reason });
    const about = { provider: provider?.name, reason, detail, subject, userId };
    log.warn({ requestId, ...about }, `Sign-in refused: ${message}`);
    if (unlogged.has(reason)) return;
    try {
      const { organizations, name } = await findWhere(pool, userId, invitation);
      const actor = { kind: 'person', name: subject ?? null, userId: userId ?? null, userName: name } as const;
      const target = { kind: 'provider', id: null, name: provider?.name ?? null };
      const changes = newValues({ reason, ...(detail !== undefined && { detail }) });
      const event = { actor, action: 'signIn', target, changes, outcome: 'refused', requestId, address } as const;
      const places = organizations.length > 0 ? organizations : [null];
      await sparseEvents.note(...places.map((organizationId) => ({ ...event, organizationId })));
    } catch (error) {
      log.warn({ err: error, requestId }, 'Refusal not written to the audit log');
    }
  };
}

/** Reasons that anybody causes by opening an address. They leave no event. */
const unlogged: ReadonlySet<RefusalReason> = new Set(['state', 'link']);

/**
 * Finds the organizations whose owners see the event: the account's organizations and the one that invited the person;
 * none for an unknown person. Also returns the account's name.
 */
async function findWhere(pool: Pool, userId: string | undefined, invitation: Buffer | undefined) {
  const { rows } = await pool.query<{ organizations: string[]; name: string | null }>(sql`
    select array(
             select m.organization_id::text from membership m where m.user_id = ${userId ?? null}::uuid
             union select i.organization_id::text from invitation i where i.hash = ${invitation ?? null}::bytea
             order by 1) as organizations,
           (select coalesce(u.name, u.username) from account u where u.id = ${userId ?? null}::uuid) as name`);
  return rows[0]!;
}
