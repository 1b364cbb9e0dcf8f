import {
  type ChangeSet,
  ChangeSetType,
  type EventSubscriber,
  type FlushEventArgs,
  JsonType,
  type TransactionEventArgs,
} from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Sql } from 'sql-template-tag';
import { ApiError } from '#common/errors.js';
import type { AuditChanges, AuditTarget } from '#entities/audit-event.js';
import type { Caller } from '#entities/caller.js';
import { type Actor, insertEvent } from './event.js';
import { changesOf, targetOf } from './fields.js';
import type { SparseEvents } from './sparse-events.js';

/** Origin of a call. */
export interface Origin {
  readonly caller: Caller;
  readonly requestId: string;
  readonly address: string | undefined;
}

/** A mutation in progress. */
interface Pending {
  readonly action: string;
  target?: AuditTarget;
  changes: AuditChanges;
  isWritten: boolean;
  /** Whether the changes are counts. The event then omits the changes of single rows. */
  isSummary: boolean;
}

/**
 * Writes an event for each mutation of a call, in the transaction of the change. The unit of work reports its changes
 * here. Code that changes rows by SQL reports them itself.
 */
export class Trail {
  private pending: Pending | undefined;

  constructor(
    private readonly origin: () => Origin,
    private readonly sparse: SparseEvents,
  ) {}

  /** Begins a mutation. The mutations of one call run one after the other (GraphQL, section 6.2.2). */
  begin(action: string): void {
    this.pending = { action, changes: {}, isWritten: false, isSummary: false };
  }

  /** Sets the target of the operation, and adds changes that the unit of work does not see. */
  about(target: AuditTarget, changes: AuditChanges = {}): void {
    const pending = this.require();
    pending.target = target;
    pending.changes = { ...pending.changes, ...changes };
  }

  /** Replaces the changes of many objects by counts. */
  summarize(target: AuditTarget, changes: AuditChanges): void {
    Object.assign(this.require(), { target, changes, isSummary: true });
  }

  /** Writes no event for this operation, because it changes nothing (a dry run, for example). */
  skip(): void {
    this.require().isWritten = true;
  }

  /** Writes the event of the operation now, because its transaction continues with other operations. */
  async end(em: EntityManager): Promise<void> {
    await this.write(em, em.getTransactionContext());
  }

  /**
   * Returns the statement that writes the event, for a change by SQL. It is run as a part of that change's statement,
   * or in its transaction.
   * @param happened condition that is false if nothing changed
   */
  event(target?: AuditTarget, changes?: AuditChanges, happened?: Sql): Sql {
    const pending = this.require();
    if (target !== undefined) this.about(target, changes);
    pending.isWritten = true;
    return this.statement(pending, happened);
  }

  /** Returns the statement that writes the event of a new row. */
  eventOf(entity: object): Sql {
    this.note(entity.constructor.name, 'create', entity);
    return this.event();
  }

  /** Returns the statement that writes the event of a change that the unit of work found. */
  eventOfChange(change: ChangeSet<object>, em: EntityManager): Sql {
    this.note(change.meta.className, 'update', change.entity, beforeOf(change as ChangeSet<Row>, em));
    return this.event();
  }

  /** Writes an event if a fault refuses the operation (403), once a minute for each actor and action. */
  async refused(action: string, fault: unknown): Promise<void> {
    if (!(fault instanceof ApiError) || fault.code !== 'FORBIDDEN') return;
    await this.sparse.note({ ...this.byCaller(), action, outcome: 'refused' });
  }

  /**
   * Writes an event for each target whose stored secret is shown again, once a minute for each actor and target. Writes
   * none for the target of the operation's own event.
   */
  async shown(action: string, targets: readonly AuditTarget[]): Promise<void> {
    const others = targets.filter(({ id }) => this.pending?.target?.id !== id);
    await this.sparse.note(...others.map((target) => ({ ...this.byCaller(), action, target })));
  }

  /** Creates a unit of work that reports its changes here. */
  fork(em: EntityManager): EntityManager {
    const unit = em.fork({ freshEventManager: true });
    unit.getEventManager().registerSubscriber(this.subscriber());
    return unit;
  }

  /** Subscribes to the changes of a unit of work, and to the end of its transaction. */
  private subscriber(): EventSubscriber {
    return {
      onFlush: ({ em, uow }: FlushEventArgs) => {
        if (this.pending === undefined) return Promise.resolve();
        for (const changeSet of uow.getChangeSets()) {
          const { meta, type, entity } = changeSet;
          const kind = type === ChangeSetType.CREATE ? 'create' : type.startsWith('delete') ? 'delete' : 'update';
          this.note(meta.className, kind, entity as object, kind === 'update' ? beforeOf(changeSet, em) : undefined);
        }
        // Nothing changed, so the target is the object that was loaded last.
        const last = [...uow.getIdentityMap()].at(-1);
        if (last !== undefined) this.pending.target ??= targetOf(last.constructor.name, last);
        return Promise.resolve();
      },
      beforeTransactionCommit: ({ em, transaction }: TransactionEventArgs) =>
        // A savepoint is not the end of the change's transaction.
        transaction === undefined || 'savepointName' in transaction
          ? Promise.resolve()
          : this.write(em as EntityManager, transaction),
      // Nothing changed: there was no transaction.
      afterFlush: ({ em }: FlushEventArgs) =>
        em.isInTransaction() ? Promise.resolve() : this.write(em as EntityManager),
    };
  }

  private note(of: string, type: 'create' | 'update' | 'delete', row: object, before?: object): void {
    const pending = this.require();
    if (pending.isSummary) return;
    // The first changed row is the target of the event: registering a device, for example, also creates a token.
    pending.target ??= targetOf(of, row);
    const changes = changesOf({ of, type, row: row as never, before: before as never });
    pending.changes = { ...changes, ...pending.changes };
  }

  private async write(em: EntityManager, transaction?: unknown): Promise<void> {
    const { pending } = this;
    if (pending === undefined || pending.isWritten) return;
    pending.isWritten = true;
    const { sql: text, values } = this.statement(pending);
    await em.getConnection().execute(text, [...values], 'run', transaction as never);
  }

  private statement({ action, target, changes }: Pending, happened?: Sql): Sql {
    return insertEvent({ ...this.byCaller(), action, target, changes }, happened);
  }

  private byCaller() {
    const { caller, requestId, address = null } = this.origin();
    return { organizationId: caller.organizationId, actor: actorOf(caller), requestId, address };
  }

  private require(): Pending {
    if (this.pending === undefined) throw new Error('Only operations of the graph may change something.');
    return this.pending;
  }
}

/** Returns the former values of the changed fields. The unit of work keeps them in the form of the database. */
const beforeOf = ({ meta, payload, originalEntity }: ChangeSet<Row>, em: FlushEventArgs['em']): Row => {
  const names = Object.keys(payload as Row);
  const values = names.map((name) => {
    const stored: unknown = (originalEntity as Row)[name] ?? null;
    const type = meta.props.find((property) => property.name === name)?.customType;
    if (stored === null || !type) return [name, stored] as const;
    if (type instanceof JsonType) return [name, typeof stored === 'string' ? JSON.parse(stored) : stored] as const;
    return [name, type.convertToJSValue(stored, em.getPlatform())] as const;
  });
  return Object.fromEntries(values);
};

type Row = Record<string, unknown>;

/** Returns the actor of a caller's events. */
const actorOf = ({ bySession, tokenId: id, tokenName: name, userId, userName }: Caller): Actor => {
  if (bySession && userId !== null) return { kind: 'session', id, userId, userName };
  return { kind: 'token', id, name, ...(userId === null ? { userId } : { userId, userName }) };
};
