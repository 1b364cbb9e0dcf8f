import { Extensions } from 'type-graphql';
import type { Caller } from '../entities/caller.js';
import { TokenScope } from '../entities/enums.js';
import { forbidden } from '../errors.js';

/** Whose records an operation posts: those of any device of the organization, or of one that it names. */
type Ingestion = 'organization' | 'device';

/** Marks an operation that posts records: the one kind that a token of scope `ingest` may call. */
export const Ingests = (whose: Ingestion = 'organization'): MethodDecorator & PropertyDecorator =>
  Extensions({ ingests: whose });

/** Marks the operation by which devices register themselves: the one that provisioning tokens, and no others, may call. */
export const Provisions = (): MethodDecorator & PropertyDecorator => Extensions({ provisions: true });

/** What decides whether a token covers an operation. */
export interface Operation {
  readonly changes: boolean;
  readonly ingests?: Ingestion | undefined;
  readonly provisions?: boolean | undefined;
}

/** What a root field of the graph says of itself. */
export const operationOf = (
  { extensions }: { readonly extensions: Pick<Operation, 'ingests' | 'provisions'> },
  changes: boolean,
): Operation => ({ changes, ingests: extensions.ingests, provisions: extensions.provisions });

/**
 * Refuses what the token's scope does not cover, of a device's token all but its own records, and of a provisioning token all
 * but to register: 403.
 */
export function requireScope(
  { scope, deviceId, productId }: Caller,
  { changes, ingests, provisions = false }: Operation,
): void {
  if (productId !== null && !provisions) throw forbidden('This token may only register devices of its product.');
  if (productId === null && provisions) throw forbidden('This takes a provisioning token of a product.');
  if (provisions) return;
  if (deviceId !== null && ingests !== 'device') throw forbidden('This token may only post records of its device.');
  if (scope === TokenScope.ingest && ingests === undefined) throw forbidden('This token may only post records.');
  if (scope === TokenScope.read && changes) throw forbidden('This token may change nothing.');
}
