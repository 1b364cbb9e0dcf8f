import { Extensions } from 'type-graphql';
import type { Caller } from '../entities/caller.js';
import { TokenScope } from '../entities/enums.js';
import { forbidden } from '../errors.js';

/** Whose records an operation posts: those of any device of the organization, or of one that it names. */
type Ingestion = 'organization' | 'device';

/** Marks an operation that posts records: the one kind that a token of scope `ingest` may call. */
export const Ingests = (whose: Ingestion = 'organization'): MethodDecorator & PropertyDecorator =>
  Extensions({ ingests: whose });

/** What decides whether a token covers an operation. */
export interface Operation {
  readonly changes: boolean;
  readonly ingests?: Ingestion | undefined;
}

/** What a root field of the graph says of itself. */
export const operationOf = (
  { extensions }: { readonly extensions: { readonly ingests?: Ingestion } },
  changes: boolean,
): Operation => ({ changes, ingests: extensions.ingests });

/** Refuses what the token's scope does not cover, and of a device's token all but its own records: 403. */
export function requireScope({ scope, deviceId }: Caller, { changes, ingests }: Operation): void {
  if (deviceId !== null && ingests !== 'device') throw forbidden('This token may only post records of its device.');
  if (scope === TokenScope.ingest && ingests === undefined) throw forbidden('This token may only post records.');
  if (scope === TokenScope.read && changes) throw forbidden('This token may change nothing.');
}
