import { once } from 'node:events';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Request } from 'express';
import type { Caller } from './entities/caller.js';
import type { Context, Read } from './schema/context.js';

/** What all calls share; app makes it once. */
export interface CallResources {
  read: Read;
  readWithin: Context['readWithin'];
  wake: () => void;
  /** Makes a unit of work. */
  fork: () => EntityManager;
  originOf: (request: Request) => string;
}

/** The context of one call. What a call may not need is made when it is first asked for. */
export class Call implements Context {
  readonly read: Read;
  readonly readWithin: Context['readWithin'];
  readonly wake: () => void;
  readonly loaders = new Map<unknown, unknown>();
  // Not `#em`: Apollo copies the context property by property, and private names do not survive that.
  private unit?: EntityManager;
  private gone?: AbortSignal;

  constructor(
    readonly caller: Caller,
    private readonly request: Request,
    private readonly resources: CallResources,
  ) {
    this.read = resources.read;
    this.readWithin = resources.readWithin;
    this.wake = resources.wake;
  }

  get em(): EntityManager {
    this.unit ??= this.resources.fork();
    return this.unit;
  }

  get origin(): string {
    return this.resources.originOf(this.request);
  }

  get requestId(): string {
    return String(this.request.res?.getHeader('X-Request-Id') ?? '');
  }

  get signal(): AbortSignal {
    this.gone ??= whenGone(this.request);
    return this.gone;
  }
}

/** Aborts when the client goes away before its answer is complete. */
function whenGone(request: Request): AbortSignal {
  const gone = new AbortController();
  const { res } = request;
  if (res !== undefined) {
    once(res, 'close').then(
      () => res.writableFinished || gone.abort(),
      () => gone.abort(),
    );
  }
  return gone.signal;
}
