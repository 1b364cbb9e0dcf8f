import { once } from 'node:events';
import { type EntityManager, OptimisticLockError } from '@mikro-orm/postgresql';
import type { Request } from 'express';
import type { SparseEvents } from '#audit/sparse-events.js';
import { Trail } from '#audit/trail.js';
import { execute } from '#auth/execute.js';
import type { CallReads } from '#database/call-read.js';
import type { Insert } from '#database/insert.js';
import type { WeighRows } from '#database/row-weight.js';
import type { Update } from '#database/update.js';
import type { Caller } from '#entities/caller.js';
import { traceparentOf } from '#http/request-id.js';
import { noteFor } from '#http/request-log.js';
import type { Context, ObjectCounter, Read } from '#schema/context.js';

/** Resources that all calls share; `app` creates them once. */
export interface CallResources {
  reads: CallReads;
  insert: Insert;
  update: Update;
  wake: () => void;
  counts: Context['counts'];
  /** Creates a unit of work that reports its changes to a trail. */
  fork: (trail: Trail) => EntityManager;
  sparseEvents: SparseEvents;
  originOf: (request: Request) => string;
  /**
   * Counts a request against its IP address, together with those that had no valid token.
   * @throws rateLimited
   */
  countUnknown: (request: Request) => Promise<void>;
}

/** The budget of a GraphQL call. REST calls have none, as their size is known. */
export interface Share {
  /** Whether the call asks for so much that its statements must be cancellable. */
  readonly heavy: boolean;
  /** Remaining time in milliseconds. */
  readonly left: number;
  /** Aborted when the budget is used up. */
  readonly signal: AbortSignal;
  /** Counts the objects that the call returns. */
  readonly objects: ObjectCounter;
  /** @throws timedOut when the time is over. */
  requireTime(): void;
}

/** The context of one call. Parts that a call may not need are created at their first use. */
export class Call implements Context {
  read: Read;
  readonly readList: Read;
  readonly readWithin: Context['readWithin'];
  readonly timeLeft: Context['timeLeft'];
  // One for all copies: `insert` is bound to this one.
  audit: Trail;
  insert: Context['insert'];
  readonly wake: () => void;
  readonly counts: Context['counts'];
  readonly objects?: ObjectCounter;
  readonly loaders = new Map<unknown, unknown>();
  // Not `#em`: Apollo copies the context property by property, and private names do not survive that.
  private unit?: EntityManager;
  private gone?: AbortSignal;
  /** Whether the statements run in the transaction of another call. */
  private isInOther = false;
  /** An object, because all copies of the context share it. */
  private readonly since: { position?: string | undefined };

  constructor(
    readonly caller: Caller,
    private readonly request: Request,
    private readonly resources: CallResources,
    readonly weighRows: WeighRows,
    private readonly share?: Share,
    /** Aborted when the caller is gone. Unless given, it follows the request's response. */
    private readonly left?: AbortSignal,
  ) {
    const { read, readList, readWithin } = resources.reads;
    this.since = { position: caller.position ?? undefined };
    this.read = (query) => read(this, query);
    this.readList = (query) => readList(this, query);
    this.readWithin = (query, milliseconds, signal) => readWithin(this, query, milliseconds, signal);
    this.timeLeft = () => {
      share?.requireTime();
      return share?.heavy ? share.left + grace : undefined;
    };
    this.audit = new Trail(() => ({ caller, requestId: this.requestId, address: request.ip }), resources.sparseEvents);
    this.insert = (entity) => resources.insert(caller.organizationId, entity, this.audit.eventOf(entity));
    this.wake = resources.wake;
    this.counts = resources.counts;
    if (share !== undefined) this.objects = share.objects;
  }

  get em(): EntityManager {
    this.unit ??= this.resources.fork(this.audit);
    return this.unit;
  }

  get position(): string | undefined {
    return this.since.position;
  }

  readPrimary(): void {
    this.since.position = undefined;
  }

  within({ em, audit }: Pick<Context, 'em' | 'audit'>): void {
    this.readPrimary();
    this.unit = em;
    this.audit = audit as Trail;
    this.read = (query) => execute(em, query);
    this.insert = (entity) => em.persist(entity).flush();
    this.isInOther = true;
  }

  async update(entity: object): Promise<void> {
    const { em, audit } = this;
    if (this.isInOther) return em.flush();
    const work = em.getUnitOfWork();
    work.computeChangeSet(entity);
    const change = work.getChangeSets().find((each) => each.entity === entity);
    // Nothing changed: the flush writes the event alone.
    if (change === undefined) return em.flush();
    const isStored = await this.resources.update(this.caller.organizationId, change, audit.eventOfChange(change, em));
    if (!isStored) throw OptimisticLockError.lockFailed(entity);
  }

  get origin(): string {
    return this.resources.originOf(this.request);
  }

  get requestId(): string {
    return String(this.request.res?.getHeader('X-Request-Id') ?? '');
  }

  countUnknown(): Promise<void> {
    return this.resources.countUnknown(this.request);
  }

  get traceparent(): string | undefined {
    return traceparentOf(this.request);
  }

  addHeader(name: string, value: string): void {
    const isRest = this.share === undefined;
    // Node accepts only Latin-1 without line breaks in headers.
    if (isRest) this.request.res?.setHeader(name, value.replaceAll(/[^ -~]/g, '?'));
  }

  note(fields: Readonly<Record<string, string>>): void {
    if (this.request.res !== undefined) noteFor(this.request.res, fields);
  }

  get signal(): AbortSignal {
    if (this.gone !== undefined) return this.gone;
    const gone = this.left ?? whenGone(this.request);
    this.gone = this.share === undefined ? gone : AbortSignal.any([gone, this.share.signal]);
    return this.gone;
  }
}

/**
 * Extra time in milliseconds before PostgreSQL cancels a statement. The call's own timeout ends first, so the caller
 * gets that error.
 */
const grace = 50;

/** Signals of requests whose operations asked for one. The operations of a batch share theirs. */
const signals = new WeakMap<Request, AbortSignal>();

/** Returns a signal that aborts when the client disconnects before its answer is complete. */
function whenGone(request: Request): AbortSignal {
  const known = signals.get(request);
  if (known !== undefined) return known;
  const gone = new AbortController();
  signals.set(request, gone.signal);
  const { res } = request;
  if (res !== undefined) {
    once(res, 'close').then(
      () => res.writableFinished || gone.abort(),
      () => gone.abort(),
    );
  }
  return gone.signal;
}
