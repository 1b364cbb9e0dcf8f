import { Extensions } from 'type-graphql';
import type { Caller } from '../entities/caller.js';
import { TokenScope } from '../entities/enums.js';
import { forbidden } from '../errors.js';

/** Marks an operation that posts records: the one kind that a token of scope `ingest` may call. */
export const Ingests = (): MethodDecorator & PropertyDecorator => Extensions({ ingests: true });

/** What decides whether a token's scope covers an operation. */
export interface Operation {
  readonly changes: boolean;
  readonly ingests: boolean;
}

/** Refuses what the token's scope does not cover: 403. */
export function requireScope({ scope }: Caller, { changes, ingests }: Operation): void {
  if (scope === TokenScope.ingest && !ingests) throw forbidden('This token may only post records.');
  if (scope === TokenScope.read && changes) throw forbidden('This token may change nothing.');
}
