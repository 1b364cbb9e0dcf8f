import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { dayMs } from '#common/time.js';
import type { ApplicationReference } from './application.js';
import { createdAt, flag, GraphOnly, identifier, now, Timestamp, text, timestamp, updatedAt, url } from './columns.js';
import type { HookFilter } from './hook-settings.js';
import { Node } from './node.js';
import { storedOrSent } from './stored-json.js';
import { HookDisabledReason } from './text-enums.js';

/** A hook, as lists show it (contract, section 5). */
@ObjectType({ description: 'A hook, as lists show it.' })
export class HookListItem {
  @identifier() id!: string;
  @url('Address that is called.') url!: string;
}

/** The credentials of a hook as they are stored. Passwords and values are encrypted. */
export interface HookCredentials {
  basicUser: string | null;
  basicPass: string | null;
  headerName: string | null;
  headerValue: string | null;
}

/** New values of a hook. An absent field stays unchanged; `null` restores its default. */
export interface HookChange {
  url: string;
  allowUnverifiedSSLCert?: boolean | null;
  disabled?: boolean | null;
}

/** New settings of a hook. An absent field stays unchanged; `null` restores its default. */
export interface HookTuning {
  concurrency?: number | null;
  maxPerSecond?: number | null;
  ordered?: boolean | null;
  filter?: HookFilter | null;
  events?: string[] | null;
}

/** Time after a rotation in which both secrets sign, in milliseconds. */
const overlap = dayMs;
/** Default number of concurrent calls. */
const usualConcurrency = 8;
/** Default kinds of events that a hook is called for. */
const usualEvents = ['record'];

const stored = () => Property({ type: 'string', columnType: 'text', nullable: true });

@ObjectType({
  implements: Node,
  description: "An address that is called with every record of an application's devices.",
})
@Entity()
export class Hook extends HookListItem implements HookCredentials {
  @Property({ type: 'uuid', columnType: 'uuid' }) organizationId!: string;
  @Property({ type: 'uuid', columnType: 'uuid' }) applicationId!: string;
  @stored() basicUser: string | null = null;
  @stored() basicPass: string | null = null;
  @stored() headerName: string | null = null;
  @stored() headerValue: string | null = null;

  @Property({ type: 'boolean', columnType: 'boolean', fieldName: 'allow_unverified_ssl_cert' })
  @Field(() => Boolean, { description: 'Whether unverified TLS certificates are accepted.' })
  allowUnverifiedSSLCert: boolean = false;

  @flag('Whether the hook is disabled.') disabled: boolean = false;

  @timestamp('Time at which the hook was disabled.', { nullable: true })
  @GraphOnly()
  disabledAt?: string | null;

  @stored()
  @Field(() => HookDisabledReason, {
    nullable: true,
    description: 'Reason why the hook was disabled: `request`, `gone` (it answered 410) or `failing` (for 5 days).',
  })
  @GraphOnly()
  disabledReason?: string | null;

  @Property({ type: 'integer', columnType: 'integer' }) concurrency: number = usualConcurrency;
  @Property({ type: 'double', columnType: 'double precision', nullable: true }) maxPerSecond: number | null = null;
  @Property({ type: 'boolean', columnType: 'boolean' }) ordered: boolean = false;
  @Property({ type: 'json', columnType: 'jsonb', nullable: true }) filter: HookFilter | null = null;
  @Property({ type: new Timestamp(), nullable: true }) filterDisabledAt: string | null = null;
  @stored() filterDisabledReason: string | null = null;
  @Property({ type: 'string[]', columnType: 'text[]' }) events: string[] = [...usualEvents];
  @stored() signingSecret: string | null = null;
  @stored() previousSigningSecret: string | null = null;
  @Property({ type: new Timestamp(), nullable: true })
  previousSigningSecretUntil: string | null = null;

  @text('Key that a tool chose, unique within the organization.', { nullable: true })
  @GraphOnly()
  externalId?: string | null;
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  /** Application whose records the hook is called with, by its identifiers. */
  get application(): ApplicationReference {
    return { id: this.applicationId, organizationId: this.organizationId };
  }

  /** Applies new settings. A given filter is switched on, even if the filter before was switched off. */
  tune({ concurrency, maxPerSecond, ordered, filter, events }: HookTuning): this {
    if (concurrency !== undefined) this.concurrency = concurrency ?? usualConcurrency;
    if (maxPerSecond !== undefined) this.maxPerSecond = maxPerSecond;
    if (ordered !== undefined) this.ordered = ordered ?? false;
    if (events !== undefined) this.events = [...new Set(events ?? usualEvents)];
    if (filter !== undefined) {
      const kept = storedOrSent(this.filter, filter);
      Object.assign(this, { filter: kept, filterDisabledAt: null, filterDisabledReason: null });
    }
    return this;
  }

  /**
   * Sets a new signing secret, which is encrypted. The previous one also signs for 24 hours. With null, neither signs
   * any more.
   */
  signWith(sealed: string | null, at: number): this {
    this.previousSigningSecret = sealed === null ? null : this.signingSecret;
    this.previousSigningSecretUntil = this.previousSigningSecret === null ? null : new Date(at + overlap).toISOString();
    this.signingSecret = sealed;
    return this;
  }

  /** Applies new values. Switching the hook on clears the reason why it was off. */
  change({ url, allowUnverifiedSSLCert, disabled }: HookChange): this {
    this.url = url;
    if (allowUnverifiedSSLCert !== undefined) this.allowUnverifiedSSLCert = allowUnverifiedSSLCert ?? false;
    if (disabled !== undefined && (disabled ?? false) !== this.disabled) {
      this.disabled = disabled ?? false;
      this.disabledAt = this.disabled ? now() : null;
      this.disabledReason = this.disabled ? 'request' : null;
    }
    return this;
  }
}

/** User name of basic authentication. The password is never shown. */
@ObjectType({ description: 'Basic authentication. The password is never shown.' })
export class HookBasic {
  @Field(() => String, { description: 'User name for basic authentication.' }) user!: string;
}

@ObjectType({ description: "A header of the hook's calls." })
export class HookHeader {
  @Field(() => String, { description: 'Name of the header.' }) name!: string;
  @Field(() => String, { description: 'Value of the header.' }) value!: string;
}

/** Authentication of a hook's calls (contract, sections 5 and 11). */
@ObjectType({ description: "Authentication of a hook's calls." })
export class HookAuthentication {
  @Field(() => HookBasic, { nullable: true, description: 'Basic authentication.' }) basic?: HookBasic | null;
  @Field(() => HookHeader, { nullable: true, description: 'A header.' }) header?: HookHeader | null;
}
