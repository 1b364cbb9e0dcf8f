import { Extensions } from 'type-graphql';
import { forbidden } from '#common/errors.js';
import type { Caller } from '#entities/caller.js';
import { TokenScope } from '#entities/enums.js';
import type { Context } from './context.js';
import { linksRead, operationsOfLinks } from './dashboard-link.js';

const deviceSpeaks =
  'This token may only speak for its device: post its records, take and answer its commands, report its state.';
const ingestSpeaks = 'This token may only post records, and speak for devices.';

/** Devices that an operation speaks for: any of the organization, or one that it names. */
type Ingestion = 'organization' | 'device';

/**
 * Marks an operation by which devices speak: they post records, take and answer commands, and report their state. It is
 * the only kind that a token of scope `ingest` may call.
 */
export const Ingests = (whose: Ingestion = 'organization'): MethodDecorator & PropertyDecorator =>
  Extensions({ ingests: whose });

/**
 * Marks the operation by which devices register themselves. Provisioning tokens may call only this operation, and no
 * other token may call it.
 */
export const Provisions = (): MethodDecorator & PropertyDecorator => Extensions({ provisions: true });

/** The properties of an operation that decide whether a token covers it. */
export interface OperationProperties {
  readonly changes: boolean;
  readonly ingests?: Ingestion | undefined;
  readonly provisions?: boolean | undefined;
  /** Whether a link to a dashboard may call it. */
  readonly isOfLinks?: boolean;
}

/** Whether each success of an operation leaves an event in the audit log. What devices say leaves none. */
export const isAudited = ({ changes, ingests }: OperationProperties): boolean => changes && ingests === undefined;

/** An operation of the graph. */
export interface NamedOperation extends OperationProperties {
  readonly name: string;
}

/** Reads the name and these properties from a root field of the graph. */
export const operationOf = (
  {
    name,
    extensions,
  }: { readonly name: string; readonly extensions: Pick<OperationProperties, 'ingests' | 'provisions'> },
  changes: boolean,
): NamedOperation => ({
  name,
  changes,
  ingests: extensions.ingests,
  provisions: extensions.provisions,
  isOfLinks: operationsOfLinks.has(name),
});

/**
 * Refuses an operation with 403 when the token does not cover it: by its scope, for a device's token everything except
 * speaking for the device, for a provisioning token everything except registration, and for a link to a dashboard
 * everything except reading its application.
 */
export function requireScope(
  { scope, deviceId, productId, applicationId }: Caller,
  { changes, ingests, provisions = false, isOfLinks = false }: OperationProperties,
): void {
  if (productId !== null && !provisions) throw forbidden('This token may only register devices of its product.');
  if (productId === null && provisions)
    throw forbidden('Only a provisioning token of a product may do this: send one.');
  if (provisions) return;
  if (deviceId !== null && ingests !== 'device') throw forbidden(deviceSpeaks);
  if (scope === TokenScope.ingest && ingests === undefined) throw forbidden(ingestSpeaks);
  if (applicationId !== null && !isOfLinks) throw forbidden(linksRead);
  if (scope === TokenScope.read && changes) throw forbidden('This token may only read.');
}

/** Writes an event in the audit log if the error refuses the operation (403). What devices say leaves none. */
export const noteRefusal = async (
  { audit }: Pick<Context, 'audit'>,
  { name, ingests }: NamedOperation,
  error: unknown,
): Promise<void> => {
  if (ingests === undefined) await audit.refused(name, error);
};
